"""Payment processors, which plug-ins bring.

Source: spec/entities/payments.md, rule 5.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from storeapi.core.extensions import Extension

TYPES: Mapping[str, str] = {"C": "checkout", "P": "gateway"}


@dataclass(frozen=True)
class Processor(Extension):
    """A processor that payment methods may name by its ID.

    Shapes: `processor_type` is `C` for a checkout of its own, `P` for a gateway.
    """

    kind: ClassVar[str] = "processor"

    processor_id: int
    processor: str
    processor_type: str = "P"

    @property
    def key(self) -> int:
        """The ID of the processor."""
        return self.processor_id

    def fault(self) -> str | None:
        """Want a name and a known type."""
        if not self.processor.strip():
            return "processor must be a name"
        if self.processor_type not in TYPES:
            return f"processor_type must be one of {', '.join(TYPES)}"
        return None
