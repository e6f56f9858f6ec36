"""Login links: they let a named user in without credentials, once."""

import logging

from storeapi import Email, Entity, Fields, Params, Result, Text
from storeapi.core.entity import STATUS_CREATED
from storeapi.core.writing import read_payload
from storeapi.rules.login_links import (
    Target,
    base_of,
    check_redirect,
    hold_target,
    judge_target,
    link_of,
    make_link,
)

_LONGEST_URL = 2000
_log = logging.getLogger("storeapi.auth")


class AuthFields(Fields):
    """What a link is asked for with."""

    email = Email(required=True)
    redirect_url = Text(maxlength=_LONGEST_URL)


class Auth(Entity):
    """Login links that let a user in once, without credentials."""

    name = "auth"
    privileges = {"create": "manage_users"}
    closed_to_companies = ("create",)
    schema = AuthFields()

    def create(self, params: Params) -> Result:
        """Make a key and the link that carries it; both are shown once."""
        unknown = self.schema.unknown_names(params)
        values = read_payload(self.context, self.schema, params, unknown)
        redirect_url = values.get("redirect_url", "")
        target = hold_target(self.db, values["email"])
        judge_target(self.caller, target)
        check_redirect(self.db, redirect_url)
        base_url = base_of(self.db, target.company_id, self.context.base_url)
        settings, now = self.context.settings, self.context.now
        row: dict[str, int | str] = {
            "target": redirect_url or f"{base_url}/",
            "caller_id": self.caller.user_id or 0,
            "expires_at": now + settings.ekey_ttl,
        }
        key = make_link(self.db, settings.secret_key, target, row)
        self._note(target)
        link = link_of(base_url, key, redirect_url)
        return Result(STATUS_CREATED, {}, once={"key": key, "link": link})

    def _note(self, target: Target) -> None:
        """Log who asked for a link, once it is there.

        Source: spec/entities/auth.md, rule 8.
        """
        facts = {
            "caller_id": self.caller.user_id,
            "user_id": target.user_id,
            "address": self.context.remote_address,
        }
        self.db.after_commit(lambda: _log.info("login link made", extra=facts))
