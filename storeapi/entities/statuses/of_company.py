"""Statuses below a store or vendor: the mail as that company words it."""

from collections.abc import Iterator, Sequence

from storeapi import Forbidden, Key, Listing, Params, Record, Result
from storeapi.core.changes import Operation
from storeapi.core.entity import STATUS_OK
from storeapi.core.writing import write_languages
from storeapi.entities.statuses.fields import MAIL
from storeapi.entities.statuses.reading import ReadableStatuses
from storeapi.rules.status_words import Words, save_words, words_of


class CompanyStatuses(ReadableStatuses):
    """The statuses as one company shows them; it may only word their mail.

    Source: spec/entities/statuses.md, rule 3.
    """

    privileges = {
        "index": ("view_order_statuses", "view_orders"),
        "update": "manage_order_statuses",
    }

    @property
    def company_id(self) -> int:
        """The company in the path, which the caller may see."""
        assert self.context.parent is not None
        return int(self.context.parent.id)

    def index(self, id: Key | None, params: Params) -> Result:
        """Return what the plain path does, with the words of the company."""
        result = super().index(id, params)
        shown = dict(_records(id, result))
        words = words_of(
            self.reader, list(shown), self.company_id, self.context.lang_code
        )
        for status_id, own in words.items():
            record = shown[status_id]
            record.update({name: own[name] for name in own if name in record})
        return result

    def update(self, id: Key, params: Params) -> Result:
        """Word the mail of a status for this company; null takes the words back."""
        self.db.hold_languages()
        (lang_code, *_) = write_languages(self, params, every=False)
        row = self.locked_row(id)
        sent = self.load(params, partial=True)
        self._judge([name for name in sent if name not in MAIL])
        words: Words = {
            name: None if params.get(name) is None else sent[name]
            for name in MAIL
            if name in sent
        }
        key = {"status_id": int(id), "company_id": self.company_id}
        before, after = save_words(self.db, {**key, "lang_code": lang_code}, words)
        if after:
            company = {"company_id": self.company_id}
            self.record(Operation.UPDATE, id, before, {**after, **company}, row=row)
        return Result(STATUS_OK, {self.id_key: id})

    def _judge(self, others: Sequence[str]) -> None:
        """Let nothing else be changed here: all companies share it.

        Raises: `Forbidden` for an administrator of one company.
        """
        if others and self.caller.is_scoped:
            raise Forbidden(f"all stores share {', '.join(others)} of a status")
        self.context.ignored_fields.extend(others)


def _records(id: Key | None, result: Result) -> Iterator[tuple[int, Record]]:
    if isinstance(result.data, Listing):
        for key, record in zip(result.data.ids, result.data.records, strict=True):
            yield int(key), record
    elif id is not None and result.data is not None:
        yield int(id), result.data
