from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Record(_message.Message):
    __slots__ = ("start", "finish", "scalar", "media", "log")
    START_FIELD_NUMBER: _ClassVar[int]
    FINISH_FIELD_NUMBER: _ClassVar[int]
    SCALAR_FIELD_NUMBER: _ClassVar[int]
    MEDIA_FIELD_NUMBER: _ClassVar[int]
    LOG_FIELD_NUMBER: _ClassVar[int]
    start: Start
    finish: Finish
    scalar: Scalar
    media: Media
    log: Log
    def __init__(self, start: _Optional[_Union[Start, _Mapping]] = ..., finish: _Optional[_Union[Finish, _Mapping]] = ..., scalar: _Optional[_Union[Scalar, _Mapping]] = ..., media: _Optional[_Union[Media, _Mapping]] = ..., log: _Optional[_Union[Log, _Mapping]] = ...) -> None: ...

class Timestamp(_message.Message):
    __slots__ = ("seconds", "nanos")
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    NANOS_FIELD_NUMBER: _ClassVar[int]
    seconds: int
    nanos: int
    def __init__(self, seconds: _Optional[int] = ..., nanos: _Optional[int] = ...) -> None: ...

class Start(_message.Message):
    __slots__ = ("project", "name", "description", "tags", "group", "job_type", "id", "started_at")
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    JOB_TYPE_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    project: str
    name: str
    description: str
    tags: _containers.RepeatedScalarFieldContainer[str]
    group: str
    job_type: str
    id: str
    started_at: Timestamp
    def __init__(self, project: _Optional[str] = ..., name: _Optional[str] = ..., description: _Optional[str] = ..., tags: _Optional[_Iterable[str]] = ..., group: _Optional[str] = ..., job_type: _Optional[str] = ..., id: _Optional[str] = ..., started_at: _Optional[_Union[Timestamp, _Mapping]] = ...) -> None: ...

class Finish(_message.Message):
    __slots__ = ("state", "error", "finished_at")
    STATE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    FINISHED_AT_FIELD_NUMBER: _ClassVar[int]
    state: int
    error: str
    finished_at: Timestamp
    def __init__(self, state: _Optional[int] = ..., error: _Optional[str] = ..., finished_at: _Optional[_Union[Timestamp, _Mapping]] = ...) -> None: ...

class Scalar(_message.Message):
    __slots__ = ("key", "step", "timestamp", "value")
    class Value(_message.Message):
        __slots__ = ("number",)
        NUMBER_FIELD_NUMBER: _ClassVar[int]
        number: float
        def __init__(self, number: _Optional[float] = ...) -> None: ...
    KEY_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: str
    step: int
    timestamp: Timestamp
    value: Scalar.Value
    def __init__(self, key: _Optional[str] = ..., step: _Optional[int] = ..., timestamp: _Optional[_Union[Timestamp, _Mapping]] = ..., value: _Optional[_Union[Scalar.Value, _Mapping]] = ...) -> None: ...

class Media(_message.Message):
    __slots__ = ("key", "step", "type", "timestamp", "value")
    class Item(_message.Message):
        __slots__ = ("filename",)
        FILENAME_FIELD_NUMBER: _ClassVar[int]
        filename: str
        def __init__(self, filename: _Optional[str] = ...) -> None: ...
    class Value(_message.Message):
        __slots__ = ("items",)
        ITEMS_FIELD_NUMBER: _ClassVar[int]
        items: _containers.RepeatedCompositeFieldContainer[Media.Item]
        def __init__(self, items: _Optional[_Iterable[_Union[Media.Item, _Mapping]]] = ...) -> None: ...
    KEY_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: str
    step: int
    type: int
    timestamp: Timestamp
    value: Media.Value
    def __init__(self, key: _Optional[str] = ..., step: _Optional[int] = ..., type: _Optional[int] = ..., timestamp: _Optional[_Union[Timestamp, _Mapping]] = ..., value: _Optional[_Union[Media.Value, _Mapping]] = ...) -> None: ...

class Log(_message.Message):
    __slots__ = ("line", "level", "timestamp")
    LINE_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    line: str
    level: int
    timestamp: Timestamp
    def __init__(self, line: _Optional[str] = ..., level: _Optional[int] = ..., timestamp: _Optional[_Union[Timestamp, _Mapping]] = ...) -> None: ...
