"""One file an engine: the same job as its documentation recommends it, started and resumed by the same command."""
