"""Everything that runs inside a training process: values go in through SummaryRecord and come out as event files."""

from toposcope.recorder.summary_record import SummaryRecord

__all__ = ["SummaryRecord"]
