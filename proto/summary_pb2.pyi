from toposcope.proto import graph_pb2 as _graph_pb2
from toposcope.proto import landscape_pb2 as _landscape_pb2
from toposcope.proto import tensor_pb2 as _tensor_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Phase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PHASE_UNKNOWN: _ClassVar[Phase]
    PHASE_TRAINING: _ClassVar[Phase]
    PHASE_EVALUATING: _ClassVar[Phase]
    PHASE_SAVING: _ClassVar[Phase]
PHASE_UNKNOWN: Phase
PHASE_TRAINING: Phase
PHASE_EVALUATING: Phase
PHASE_SAVING: Phase

class Event(_message.Message):
    __slots__ = ("wall_time", "step", "version", "graph_def", "summary", "session_id", "rotation", "starts_attempt", "resume_step", "start", "heartbeat", "end", "console", "environment", "code", "alert")
    WALL_TIME_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    GRAPH_DEF_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    ROTATION_FIELD_NUMBER: _ClassVar[int]
    STARTS_ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    RESUME_STEP_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    CONSOLE_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    ALERT_FIELD_NUMBER: _ClassVar[int]
    wall_time: float
    step: int
    version: str
    graph_def: _graph_pb2.GraphProto
    summary: Summary
    session_id: bytes
    rotation: int
    starts_attempt: bool
    resume_step: int
    start: RecordingStart
    heartbeat: Phase
    end: RecordingEnd
    console: ConsoleOutput
    environment: Environment
    code: Code
    alert: Alert
    def __init__(self, wall_time: _Optional[float] = ..., step: _Optional[int] = ..., version: _Optional[str] = ..., graph_def: _Optional[_Union[_graph_pb2.GraphProto, _Mapping]] = ..., summary: _Optional[_Union[Summary, _Mapping]] = ..., session_id: _Optional[bytes] = ..., rotation: _Optional[int] = ..., starts_attempt: bool = ..., resume_step: _Optional[int] = ..., start: _Optional[_Union[RecordingStart, _Mapping]] = ..., heartbeat: _Optional[_Union[Phase, str]] = ..., end: _Optional[_Union[RecordingEnd, _Mapping]] = ..., console: _Optional[_Union[ConsoleOutput, _Mapping]] = ..., environment: _Optional[_Union[Environment, _Mapping]] = ..., code: _Optional[_Union[Code, _Mapping]] = ..., alert: _Optional[_Union[Alert, _Mapping]] = ...) -> None: ...

class RecordingStart(_message.Message):
    __slots__ = ("host", "process_id", "rank", "command_line", "heartbeat_seconds")
    HOST_FIELD_NUMBER: _ClassVar[int]
    PROCESS_ID_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    COMMAND_LINE_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_SECONDS_FIELD_NUMBER: _ClassVar[int]
    host: str
    process_id: int
    rank: int
    command_line: str
    heartbeat_seconds: float
    def __init__(self, host: _Optional[str] = ..., process_id: _Optional[int] = ..., rank: _Optional[int] = ..., command_line: _Optional[str] = ..., heartbeat_seconds: _Optional[float] = ...) -> None: ...

class RecordingEnd(_message.Message):
    __slots__ = ("state", "error_type", "error_text", "traceback")
    class State(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        STATE_UNKNOWN: _ClassVar[RecordingEnd.State]
        STATE_FINISHED: _ClassVar[RecordingEnd.State]
        STATE_FAILED: _ClassVar[RecordingEnd.State]
        STATE_INTERRUPTED: _ClassVar[RecordingEnd.State]
    STATE_UNKNOWN: RecordingEnd.State
    STATE_FINISHED: RecordingEnd.State
    STATE_FAILED: RecordingEnd.State
    STATE_INTERRUPTED: RecordingEnd.State
    STATE_FIELD_NUMBER: _ClassVar[int]
    ERROR_TYPE_FIELD_NUMBER: _ClassVar[int]
    ERROR_TEXT_FIELD_NUMBER: _ClassVar[int]
    TRACEBACK_FIELD_NUMBER: _ClassVar[int]
    state: RecordingEnd.State
    error_type: str
    error_text: str
    traceback: str
    def __init__(self, state: _Optional[_Union[RecordingEnd.State, str]] = ..., error_type: _Optional[str] = ..., error_text: _Optional[str] = ..., traceback: _Optional[str] = ...) -> None: ...

class ConsoleOutput(_message.Message):
    __slots__ = ("lines", "dropped_lines")
    class Stream(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        STREAM_UNKNOWN: _ClassVar[ConsoleOutput.Stream]
        STREAM_STDOUT: _ClassVar[ConsoleOutput.Stream]
        STREAM_STDERR: _ClassVar[ConsoleOutput.Stream]
    STREAM_UNKNOWN: ConsoleOutput.Stream
    STREAM_STDOUT: ConsoleOutput.Stream
    STREAM_STDERR: ConsoleOutput.Stream
    class Line(_message.Message):
        __slots__ = ("wall_time", "stream", "text")
        WALL_TIME_FIELD_NUMBER: _ClassVar[int]
        STREAM_FIELD_NUMBER: _ClassVar[int]
        TEXT_FIELD_NUMBER: _ClassVar[int]
        wall_time: float
        stream: ConsoleOutput.Stream
        text: str
        def __init__(self, wall_time: _Optional[float] = ..., stream: _Optional[_Union[ConsoleOutput.Stream, str]] = ..., text: _Optional[str] = ...) -> None: ...
    LINES_FIELD_NUMBER: _ClassVar[int]
    DROPPED_LINES_FIELD_NUMBER: _ClassVar[int]
    lines: _containers.RepeatedCompositeFieldContainer[ConsoleOutput.Line]
    dropped_lines: int
    def __init__(self, lines: _Optional[_Iterable[_Union[ConsoleOutput.Line, _Mapping]]] = ..., dropped_lines: _Optional[int] = ...) -> None: ...

class Environment(_message.Message):
    __slots__ = ("facts", "packages")
    class Entry(_message.Message):
        __slots__ = ("name", "value")
        NAME_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        name: str
        value: str
        def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    FACTS_FIELD_NUMBER: _ClassVar[int]
    PACKAGES_FIELD_NUMBER: _ClassVar[int]
    facts: _containers.RepeatedCompositeFieldContainer[Environment.Entry]
    packages: _containers.RepeatedCompositeFieldContainer[Environment.Entry]
    def __init__(self, facts: _Optional[_Iterable[_Union[Environment.Entry, _Mapping]]] = ..., packages: _Optional[_Iterable[_Union[Environment.Entry, _Mapping]]] = ...) -> None: ...

class Code(_message.Message):
    __slots__ = ("commit", "remote", "diff", "diff_bytes")
    COMMIT_FIELD_NUMBER: _ClassVar[int]
    REMOTE_FIELD_NUMBER: _ClassVar[int]
    DIFF_FIELD_NUMBER: _ClassVar[int]
    DIFF_BYTES_FIELD_NUMBER: _ClassVar[int]
    commit: str
    remote: str
    diff: bytes
    diff_bytes: int
    def __init__(self, commit: _Optional[str] = ..., remote: _Optional[str] = ..., diff: _Optional[bytes] = ..., diff_bytes: _Optional[int] = ...) -> None: ...

class Alert(_message.Message):
    __slots__ = ("title", "text", "level")
    class Level(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        LEVEL_UNKNOWN: _ClassVar[Alert.Level]
        LEVEL_INFO: _ClassVar[Alert.Level]
        LEVEL_WARN: _ClassVar[Alert.Level]
        LEVEL_ERROR: _ClassVar[Alert.Level]
    LEVEL_UNKNOWN: Alert.Level
    LEVEL_INFO: Alert.Level
    LEVEL_WARN: Alert.Level
    LEVEL_ERROR: Alert.Level
    TITLE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    title: str
    text: str
    level: Alert.Level
    def __init__(self, title: _Optional[str] = ..., text: _Optional[str] = ..., level: _Optional[_Union[Alert.Level, str]] = ...) -> None: ...

class Summary(_message.Message):
    __slots__ = ("value",)
    class Image(_message.Message):
        __slots__ = ("height", "width", "colorspace", "encoded_image")
        HEIGHT_FIELD_NUMBER: _ClassVar[int]
        WIDTH_FIELD_NUMBER: _ClassVar[int]
        COLORSPACE_FIELD_NUMBER: _ClassVar[int]
        ENCODED_IMAGE_FIELD_NUMBER: _ClassVar[int]
        height: int
        width: int
        colorspace: int
        encoded_image: bytes
        def __init__(self, height: _Optional[int] = ..., width: _Optional[int] = ..., colorspace: _Optional[int] = ..., encoded_image: _Optional[bytes] = ...) -> None: ...
    class Histogram(_message.Message):
        __slots__ = ("buckets", "nan_count", "pos_inf_count", "neg_inf_count", "max", "min", "sum", "count")
        class Bucket(_message.Message):
            __slots__ = ("left", "width", "count")
            LEFT_FIELD_NUMBER: _ClassVar[int]
            WIDTH_FIELD_NUMBER: _ClassVar[int]
            COUNT_FIELD_NUMBER: _ClassVar[int]
            left: float
            width: float
            count: int
            def __init__(self, left: _Optional[float] = ..., width: _Optional[float] = ..., count: _Optional[int] = ...) -> None: ...
        BUCKETS_FIELD_NUMBER: _ClassVar[int]
        NAN_COUNT_FIELD_NUMBER: _ClassVar[int]
        POS_INF_COUNT_FIELD_NUMBER: _ClassVar[int]
        NEG_INF_COUNT_FIELD_NUMBER: _ClassVar[int]
        MAX_FIELD_NUMBER: _ClassVar[int]
        MIN_FIELD_NUMBER: _ClassVar[int]
        SUM_FIELD_NUMBER: _ClassVar[int]
        COUNT_FIELD_NUMBER: _ClassVar[int]
        buckets: _containers.RepeatedCompositeFieldContainer[Summary.Histogram.Bucket]
        nan_count: int
        pos_inf_count: int
        neg_inf_count: int
        max: float
        min: float
        sum: float
        count: int
        def __init__(self, buckets: _Optional[_Iterable[_Union[Summary.Histogram.Bucket, _Mapping]]] = ..., nan_count: _Optional[int] = ..., pos_inf_count: _Optional[int] = ..., neg_inf_count: _Optional[int] = ..., max: _Optional[float] = ..., min: _Optional[float] = ..., sum: _Optional[float] = ..., count: _Optional[int] = ...) -> None: ...
    class Value(_message.Message):
        __slots__ = ("tag", "scalar_value", "image", "tensor", "histogram", "loss_landscape", "scalar_double", "text")
        TAG_FIELD_NUMBER: _ClassVar[int]
        SCALAR_VALUE_FIELD_NUMBER: _ClassVar[int]
        IMAGE_FIELD_NUMBER: _ClassVar[int]
        TENSOR_FIELD_NUMBER: _ClassVar[int]
        HISTOGRAM_FIELD_NUMBER: _ClassVar[int]
        LOSS_LANDSCAPE_FIELD_NUMBER: _ClassVar[int]
        SCALAR_DOUBLE_FIELD_NUMBER: _ClassVar[int]
        TEXT_FIELD_NUMBER: _ClassVar[int]
        tag: str
        scalar_value: float
        image: Summary.Image
        tensor: _tensor_pb2.TensorProto
        histogram: Summary.Histogram
        loss_landscape: _landscape_pb2.LossLandscape
        scalar_double: float
        text: str
        def __init__(self, tag: _Optional[str] = ..., scalar_value: _Optional[float] = ..., image: _Optional[_Union[Summary.Image, _Mapping]] = ..., tensor: _Optional[_Union[_tensor_pb2.TensorProto, _Mapping]] = ..., histogram: _Optional[_Union[Summary.Histogram, _Mapping]] = ..., loss_landscape: _Optional[_Union[_landscape_pb2.LossLandscape, _Mapping]] = ..., scalar_double: _Optional[float] = ..., text: _Optional[str] = ...) -> None: ...
    VALUE_FIELD_NUMBER: _ClassVar[int]
    value: _containers.RepeatedCompositeFieldContainer[Summary.Value]
    def __init__(self, value: _Optional[_Iterable[_Union[Summary.Value, _Mapping]]] = ...) -> None: ...
