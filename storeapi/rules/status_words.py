"""The mail of a status as one company words it.

Source: spec/entities/statuses.md, rule 3.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, select

from storeapi.core.database import Connection, Transaction
from storeapi.core.rows import table_of
from storeapi.core.statement import query
from storeapi.models import StatusCompanyText

Words = dict[str, str | None]
"""Name of a field to the company's own text, or null for the common one."""

_TABLE = table_of(StatusCompanyText)
_WORDS = query(
    select(
        StatusCompanyText.status_id,
        StatusCompanyText.email_subj,
        StatusCompanyText.email_header,
    ).where(
        StatusCompanyText.status_id.in_(bindparam("ids", expanding=True)),
        StatusCompanyText.company_id == bindparam("company_id", required=True),
        StatusCompanyText.lang_code == bindparam("lang_code", required=True),
    )
)


def words_of(
    db: Connection, ids: Sequence[int], company_id: int, lang_code: str
) -> dict[int, dict[str, str]]:
    """What a company words itself, by status: one statement a page."""
    rows = db.rows(_WORDS, ids=ids, company_id=company_id, lang_code=lang_code)
    return {
        id: {name: text for name, text in own if text is not None}
        for id, own in (
            (row[0], (("email_subj", row[1]), ("email_header", row[2]))) for row in rows
        )
    }


def save_words(
    db: Transaction, key: Mapping[str, Any], words: Words
) -> tuple[Words, Words]:
    """Write the words of a company; the caller holds the status.

    Shapes: `key` is that of the row. Returns what was and what is, where it differs.
    """
    row = db.row(
        _WORDS,
        ids=[key["status_id"]],
        company_id=key["company_id"],
        lang_code=key["lang_code"],
    )
    _, subject, header = row or (0, None, None)
    stored: Words = {"email_subj": subject, "email_header": header}
    after = {name: text for name, text in words.items() if text != stored[name]}
    if not after:
        return {}, {}
    if row is None:
        db.insert(_TABLE, {**key, **stored, **after})
    elif any(text is not None for text in {**stored, **after}.values()):
        db.update(_TABLE, key, after)
    else:
        db.delete(_TABLE, key)
    return {name: stored[name] for name in after}, after
