from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Record(_message.Message):
    __slots__ = ("history", "summary", "config", "stats", "metric", "output_raw", "run", "exit")
    HISTORY_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    STATS_FIELD_NUMBER: _ClassVar[int]
    METRIC_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_RAW_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    EXIT_FIELD_NUMBER: _ClassVar[int]
    history: History
    summary: Summary
    config: Config
    stats: Stats
    metric: Metric
    output_raw: OutputRaw
    run: Run
    exit: Exit
    def __init__(self, history: _Optional[_Union[History, _Mapping]] = ..., summary: _Optional[_Union[Summary, _Mapping]] = ..., config: _Optional[_Union[Config, _Mapping]] = ..., stats: _Optional[_Union[Stats, _Mapping]] = ..., metric: _Optional[_Union[Metric, _Mapping]] = ..., output_raw: _Optional[_Union[OutputRaw, _Mapping]] = ..., run: _Optional[_Union[Run, _Mapping]] = ..., exit: _Optional[_Union[Exit, _Mapping]] = ...) -> None: ...

class Item(_message.Message):
    __slots__ = ("key", "nested_key", "value_json")
    KEY_FIELD_NUMBER: _ClassVar[int]
    NESTED_KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_JSON_FIELD_NUMBER: _ClassVar[int]
    key: str
    nested_key: _containers.RepeatedScalarFieldContainer[str]
    value_json: str
    def __init__(self, key: _Optional[str] = ..., nested_key: _Optional[_Iterable[str]] = ..., value_json: _Optional[str] = ...) -> None: ...

class History(_message.Message):
    __slots__ = ("item", "step")
    class Step(_message.Message):
        __slots__ = ("num",)
        NUM_FIELD_NUMBER: _ClassVar[int]
        num: int
        def __init__(self, num: _Optional[int] = ...) -> None: ...
    ITEM_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    item: _containers.RepeatedCompositeFieldContainer[Item]
    step: History.Step
    def __init__(self, item: _Optional[_Iterable[_Union[Item, _Mapping]]] = ..., step: _Optional[_Union[History.Step, _Mapping]] = ...) -> None: ...

class Summary(_message.Message):
    __slots__ = ("update",)
    UPDATE_FIELD_NUMBER: _ClassVar[int]
    update: _containers.RepeatedCompositeFieldContainer[Item]
    def __init__(self, update: _Optional[_Iterable[_Union[Item, _Mapping]]] = ...) -> None: ...

class Config(_message.Message):
    __slots__ = ("update", "remove")
    UPDATE_FIELD_NUMBER: _ClassVar[int]
    REMOVE_FIELD_NUMBER: _ClassVar[int]
    update: _containers.RepeatedCompositeFieldContainer[Item]
    remove: _containers.RepeatedCompositeFieldContainer[Item]
    def __init__(self, update: _Optional[_Iterable[_Union[Item, _Mapping]]] = ..., remove: _Optional[_Iterable[_Union[Item, _Mapping]]] = ...) -> None: ...

class Timestamp(_message.Message):
    __slots__ = ("seconds", "nanos")
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    NANOS_FIELD_NUMBER: _ClassVar[int]
    seconds: int
    nanos: int
    def __init__(self, seconds: _Optional[int] = ..., nanos: _Optional[int] = ...) -> None: ...

class Stats(_message.Message):
    __slots__ = ("timestamp", "item")
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    ITEM_FIELD_NUMBER: _ClassVar[int]
    timestamp: Timestamp
    item: _containers.RepeatedCompositeFieldContainer[Item]
    def __init__(self, timestamp: _Optional[_Union[Timestamp, _Mapping]] = ..., item: _Optional[_Iterable[_Union[Item, _Mapping]]] = ...) -> None: ...

class Metric(_message.Message):
    __slots__ = ("name", "glob_name", "step_metric")
    NAME_FIELD_NUMBER: _ClassVar[int]
    GLOB_NAME_FIELD_NUMBER: _ClassVar[int]
    STEP_METRIC_FIELD_NUMBER: _ClassVar[int]
    name: str
    glob_name: str
    step_metric: str
    def __init__(self, name: _Optional[str] = ..., glob_name: _Optional[str] = ..., step_metric: _Optional[str] = ...) -> None: ...

class OutputRaw(_message.Message):
    __slots__ = ("output_type", "timestamp", "line")
    OUTPUT_TYPE_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    output_type: int
    timestamp: Timestamp
    line: str
    def __init__(self, output_type: _Optional[int] = ..., timestamp: _Optional[_Union[Timestamp, _Mapping]] = ..., line: _Optional[str] = ...) -> None: ...

class Git(_message.Message):
    __slots__ = ("remote_url", "commit")
    REMOTE_URL_FIELD_NUMBER: _ClassVar[int]
    COMMIT_FIELD_NUMBER: _ClassVar[int]
    remote_url: str
    commit: str
    def __init__(self, remote_url: _Optional[str] = ..., commit: _Optional[str] = ...) -> None: ...

class Run(_message.Message):
    __slots__ = ("run_id", "project", "config", "run_group", "job_type", "display_name", "notes", "tags", "host", "start_time", "git")
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    RUN_GROUP_FIELD_NUMBER: _ClassVar[int]
    JOB_TYPE_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    HOST_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    GIT_FIELD_NUMBER: _ClassVar[int]
    run_id: str
    project: str
    config: Config
    run_group: str
    job_type: str
    display_name: str
    notes: str
    tags: _containers.RepeatedScalarFieldContainer[str]
    host: str
    start_time: Timestamp
    git: Git
    def __init__(self, run_id: _Optional[str] = ..., project: _Optional[str] = ..., config: _Optional[_Union[Config, _Mapping]] = ..., run_group: _Optional[str] = ..., job_type: _Optional[str] = ..., display_name: _Optional[str] = ..., notes: _Optional[str] = ..., tags: _Optional[_Iterable[str]] = ..., host: _Optional[str] = ..., start_time: _Optional[_Union[Timestamp, _Mapping]] = ..., git: _Optional[_Union[Git, _Mapping]] = ...) -> None: ...

class Exit(_message.Message):
    __slots__ = ("exit_code",)
    EXIT_CODE_FIELD_NUMBER: _ClassVar[int]
    exit_code: int
    def __init__(self, exit_code: _Optional[int] = ...) -> None: ...
