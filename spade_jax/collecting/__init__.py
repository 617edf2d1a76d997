"""How a collection of written programs is made: asked for, judged, taken in, probed.

A folder of requests (``Folder``) is answered by hand or by a batch service; ``take`` puts the
answers through the executor's gates and that of being unlike others, and writes what passes to a
collection that ``spade_jax.generator.corpus`` can propose from.
"""

from spade_jax.collecting.coverage import coverage, differences
from spade_jax.collecting.folder import Folder
from spade_jax.collecting.gates import Judged, judge, policy_name
from spade_jax.collecting.neighbours import Known, Neighbours, known_of, library_neighbours
from spade_jax.collecting.page import readable
from spade_jax.collecting.probing import probe, probe_record, rate
from spade_jax.collecting.receipts import write_receipts
from spade_jax.collecting.taking import Taken, Terms, take

__all__ = [
    "Folder",
    "Judged",
    "Known",
    "Neighbours",
    "Taken",
    "Terms",
    "coverage",
    "differences",
    "judge",
    "known_of",
    "library_neighbours",
    "policy_name",
    "probe",
    "probe_record",
    "rate",
    "readable",
    "take",
    "write_receipts",
]
