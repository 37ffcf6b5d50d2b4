#!/usr/bin/env python3
"""What script/mutants reads as said of the driver: findings_test.py ROOT"""
import importlib.machinery
import importlib.util
import pathlib
import sys

path = pathlib.Path(sys.argv[1]) / "script" / "mutants"
loader = importlib.machinery.SourceFileLoader("mutants", str(path))
mutants = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutants", loader))
loader.exec_module(mutants)

report = {"message": "1 breach of the contract", "contract": {"breaches": [{
    "rule": "WORKLOAD", "ddi": None, "expected": "work done right", "actual": "wrong [PATCH-005] pixel",
    "needs_text": ["late-interrupts: an interrupt is late [INT-005]",
                   "odd-questions: questions [QFENCE-001, INT-024] (https://learn.microsoft.com/QueryCurrentFence)",
                   "other-settings: what TDR-001 says"]}]}}
said = "\n".join(mutants.findings(report))
# What the kernel did is said, and what the finding says of rules; not what a variation's text cites.
assert "an interrupt is late" in said and "questions" in said and "PATCH-005" in said, said
for cited in ("INT-005", "QFENCE-001", "INT-024", "QueryCurrentFence", "TDR-001"):
    assert cited not in said, (cited, said)
