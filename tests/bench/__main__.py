"""`python -m tests.bench turns --leads 10000 --json`: run one benchmark."""

from tests.bench import bench_app

bench_app(prog_name="python -m tests.bench")
