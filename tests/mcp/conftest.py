from tests.fakes.stages import Stages, stage, stages

__all__ = ["Stages", "stage", "stages"]
