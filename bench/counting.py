"""Tokens of texts, counted once and kept: a hash tells without a tokenizer whether a count still holds.

`make bench` brings gpt-tokenizer, where npm is there; its o200k counts.
"""

import json
import subprocess
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from shutil import which

TOKENIZER = Path(__file__).parents[1] / ".cache/bench"
"""The folder of node_modules in which `make bench` puts the tokenizer."""

COUNT = """
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { readFileSync } from 'node:fs'
const texts = JSON.parse(readFileSync(0, 'utf8'))
console.log(JSON.stringify(texts.map((text) => countTokens(text))))
"""


def counted(texts: Sequence[str]) -> list[int] | None:
    """The tokens of each text; None where there is no tokenizer."""
    node = which("node")
    if node is None or not _package().exists():
        return None
    done = subprocess.run(
        [node, "--input-type=module", "-e", COUNT],
        cwd=TOKENIZER,
        input=json.dumps(texts),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    counts: list[int] = json.loads(done.stdout)
    return counts


def _counter() -> str:
    return f"gpt-tokenizer {json.loads(_package().read_text(encoding='utf-8'))['version']}, o200k_base"


def fingerprint(texts: Iterable[str]) -> str:
    """A hash of these texts in this order."""
    return sha256("\0".join(texts).encode()).hexdigest()


def keep(path: Path, **table: object) -> None:
    """Write a table of counts, with what counted them."""
    path.write_text(json.dumps({"counter": _counter(), **table}, indent=2) + "\n", encoding="utf-8")


def _package() -> Path:
    return TOKENIZER / "node_modules/gpt-tokenizer/package.json"
