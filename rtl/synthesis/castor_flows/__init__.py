"""The flows over a block's RTL; standard library only. docs/guides/flows.md says what each figure means."""
