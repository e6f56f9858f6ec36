"""Writes that are safe to repeat: one answer per caller, key and request.

A key is claimed first, in a transaction of its own, with a lease; the answer is
stored in the very transaction of the write. So a crash before the commit leaves
no write and a key that is free after the lease, and one after it leaves both the
write and its answer.
"""

import hashlib
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Table, bindparam, delete, or_, select, update

from storeapi.core.database import Database, Transaction
from storeapi.core.errors import Conflict, InvalidInput, Unprocessable
from storeapi.core.failures import Violation
from storeapi.core.statement import Query

REPLAYED = "Idempotency-Replayed"
_RUNNING, _DONE = "running", "done"
_MAX_KEY = 255
_KEY = re.compile(rf"[ -~]{{1,{_MAX_KEY}}}")
_SWEEP_EVERY = 100


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as it leaves; `kept` is its body without what is shown once."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    kept: bytes | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """A key that this request holds until its lease ends."""

    id: int
    owner: str


class _Held(NamedTuple):
    """A key as it is stored."""

    idempotency_id: int
    fingerprint: str
    state: str
    status: int
    headers: str
    body: str
    lease_until: int
    created_at: int


class Idempotency:
    """The table of keys."""

    def __init__(self, table: Table, *, ttl_s: int, lease_s: int) -> None:
        self._table = table
        self._ttl_s = ttl_s
        self._lease_s = lease_s
        c = table.c
        self._find = Query(
            select(*[c[name] for name in _Held._fields]).where(
                c.caller == bindparam("w_caller", required=True),
                c.key == bindparam("w_key", required=True),
            )
        )
        self._take_over = Query(
            update(table)
            .where(
                c.idempotency_id == bindparam("w_id", required=True),
                or_(
                    (c.state == _RUNNING) & (c.lease_until < bindparam("w_now")),
                    c.created_at < bindparam("w_oldest"),
                ),
            )
            .values(
                owner=bindparam("v_owner"),
                state=_RUNNING,
                fingerprint=bindparam("v_fingerprint"),
                lease_until=bindparam("v_lease"),
                created_at=bindparam("v_created"),
            )
        )
        self._forget = Query(
            delete(table).where(c.created_at < bindparam("oldest", required=True))
        )

    def claim(
        self, database: Database, caller: str, key: str, fingerprint: str
    ) -> Claim | Answer:
        """Hold the key for this request, or return the answer it had.

        Raises: `InvalidInput` for an unusable key, `Unprocessable` for a key that
        came with another request, `Conflict` while the first is still running.
        """
        if _KEY.fullmatch(key) is None:
            raise InvalidInput(
                f"Idempotency-Key must hold 1 to {_MAX_KEY} printable ASCII characters"
            )
        owner = secrets.token_hex(16)
        row = {"caller": caller, "key": key, "fingerprint": fingerprint}
        try:
            return database.write(lambda db: self._claim(db, row, owner))
        except Violation:
            return database.write(lambda db: self._claim(db, row, owner))

    def _claim(
        self, db: Transaction, row: Mapping[str, str], owner: str
    ) -> Claim | Answer:
        now = int(time.time())
        found = db.row(self._find, w_caller=row["caller"], w_key=row["key"])
        if found is None:
            return self._begin(db, row, owner, now)
        held = _Held(*found)
        if held.created_at >= now - self._ttl_s:
            if held.fingerprint != row["fingerprint"]:
                raise Unprocessable("the Idempotency-Key came with another request")
            if held.state == _DONE:
                kept = {**orjson.loads(held.headers), REPLAYED: "true"}
                return Answer(held.status, kept, held.body.encode())
            if held.lease_until >= now:
                raise _still_running(held.lease_until - now)
        taken = db.run(
            self._take_over,
            w_id=held.idempotency_id,
            w_now=now,
            w_oldest=now - self._ttl_s,
            v_owner=owner,
            v_fingerprint=row["fingerprint"],
            v_lease=now + self._lease_s,
            v_created=now,
        )
        if not taken:
            raise _still_running(self._lease_s)
        return Claim(held.idempotency_id, owner)

    def _begin(
        self, db: Transaction, row: Mapping[str, str], owner: str, now: int
    ) -> Claim:
        """Hold a key that is new, and now and then forget old ones."""
        times = {"created_at": now, "lease_until": now + self._lease_s}
        id = db.insert(self._table, {**row, **times, "state": _RUNNING, "owner": owner})
        if id % _SWEEP_EVERY == 0:
            db.run(self._forget, oldest=now - self._ttl_s)
        return Claim(id, owner)

    def complete(self, db: Transaction, claim: Claim, answer: Answer) -> None:
        """Keep the answer, in the transaction of the write.

        Raises: `Conflict` if the lease ended and another request took the key over,
        which takes the write back.
        """
        kept = db.update(
            self._table,
            {"idempotency_id": claim.id, "owner": claim.owner, "state": _RUNNING},
            {
                "state": _DONE,
                "status": answer.status,
                "headers": orjson.dumps(dict(answer.headers)).decode(),
                "body": (answer.body if answer.kept is None else answer.kept).decode(),
            },
        )
        if not kept:
            raise _still_running(self._lease_s)

    def release(self, database: Database, claim: Claim) -> None:
        """Free the key of an attempt that failed."""
        where = {"idempotency_id": claim.id, "owner": claim.owner, "state": _RUNNING}
        database.write(lambda db: db.delete(self._table, where))


def fingerprint(*parts: bytes) -> str:
    """A digest of what makes two requests the same."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def _still_running(seconds: Any) -> Conflict:
    return Conflict(
        "a request with this Idempotency-Key is still running",
        headers={"Retry-After": str(max(1, int(seconds)))},
    )
