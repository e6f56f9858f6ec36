"""How statuses are read: the same for all, and below a company."""

from storeapi import Key, Params, Result, TableEntity
from storeapi.entities.statuses.fields import StatusFields
from storeapi.models import Status, StatusText
from storeapi.rules.statuses import TYPE_ORDER


class ReadableStatuses(TableEntity[Status]):
    """What statuses are, wherever they stand in the path."""

    name = "statuses"
    id_key = "status_id"
    model = Status
    texts = StatusText
    fields = StatusFields
    sortings = {
        "status": Status.status,
        "description": StatusText.description_key,
        "position": Status.status_id,
    }
    default_sort = "status_id"
    parents = {"stores": None, "vendors": None}

    def index(self, id: Key | None, params: Params) -> Result:
        """Return one status, or those of orders, or of the type that is asked for."""
        if id is None and not params.get("type"):
            params = {**params, "type": TYPE_ORDER}
        return super().index(id, params)
