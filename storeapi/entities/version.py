"""The version that clients ask for to prove their credentials."""

from storeapi import Entity, Key, NotFound, Params, Result


class Version(Entity):
    """The version of the interface; some clients prove their credentials by it.

    Source: spec/clients.md, T21.
    """

    name = "version"
    shapes = {}
    privileges = {"index": True}
    privileges_customer = {"index": True}

    def index(self, id: Key | None, params: Params) -> Result:
        """Return the version that the server says it has."""
        if id is not None:
            raise NotFound(f"there is no version {id}")
        return Result(200, {"Version": self.context.settings.brand_version})
