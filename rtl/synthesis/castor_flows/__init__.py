"""Flows over a block's RTL: synthesis, proofs, lockstep, mutation, evidence. They use the standard library only.

docs/guides/flows.md defines each figure that they report."""
