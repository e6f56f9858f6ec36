"""Sending records back as they were read."""

from tests.shop import Shop

STRICT = {"Prefer": "handling=strict"}


def check_sent_back(shop: Shop, path: str) -> None:
    """Send a record back: neither a row nor the record changes."""
    record = shop.root.get(path)
    assert record.status_code == 200, (path, record.get_data(as_text=True))
    before = shop.everything()
    answer = shop.root.put(path, record.get_json(), headers=STRICT)
    assert answer.status_code == 200, (path, answer.get_data(as_text=True))
    after = shop.everything()
    changed = [name for name in before if before[name] != after[name]]
    assert changed == [], (path, changed)
    assert shop.root.get(path).data == record.data, path
