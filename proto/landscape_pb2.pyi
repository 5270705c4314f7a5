from toposcope.proto import tensor_pb2 as _tensor_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class LossLandscape(_message.Message):
    __slots__ = ("landscape", "loss_path", "metadata", "convergence_point", "details")
    class Point(_message.Message):
        __slots__ = ("x", "y", "z")
        X_FIELD_NUMBER: _ClassVar[int]
        Y_FIELD_NUMBER: _ClassVar[int]
        Z_FIELD_NUMBER: _ClassVar[int]
        x: _tensor_pb2.TensorProto
        y: _tensor_pb2.TensorProto
        z: _tensor_pb2.TensorProto
        def __init__(self, x: _Optional[_Union[_tensor_pb2.TensorProto, _Mapping]] = ..., y: _Optional[_Union[_tensor_pb2.TensorProto, _Mapping]] = ..., z: _Optional[_Union[_tensor_pb2.TensorProto, _Mapping]] = ...) -> None: ...
    class LossPath(_message.Message):
        __slots__ = ("intervals", "points")
        INTERVALS_FIELD_NUMBER: _ClassVar[int]
        POINTS_FIELD_NUMBER: _ClassVar[int]
        intervals: _containers.RepeatedScalarFieldContainer[int]
        points: LossLandscape.Point
        def __init__(self, intervals: _Optional[_Iterable[int]] = ..., points: _Optional[_Union[LossLandscape.Point, _Mapping]] = ...) -> None: ...
    class Metadata(_message.Message):
        __slots__ = ("decomposition", "unit", "step_per_epoch")
        DECOMPOSITION_FIELD_NUMBER: _ClassVar[int]
        UNIT_FIELD_NUMBER: _ClassVar[int]
        STEP_PER_EPOCH_FIELD_NUMBER: _ClassVar[int]
        decomposition: str
        unit: str
        step_per_epoch: int
        def __init__(self, decomposition: _Optional[str] = ..., unit: _Optional[str] = ..., step_per_epoch: _Optional[int] = ...) -> None: ...
    class Measured(_message.Message):
        __slots__ = ("x", "y", "z", "known", "standard_error", "level", "levels", "difference_error")
        X_FIELD_NUMBER: _ClassVar[int]
        Y_FIELD_NUMBER: _ClassVar[int]
        Z_FIELD_NUMBER: _ClassVar[int]
        KNOWN_FIELD_NUMBER: _ClassVar[int]
        STANDARD_ERROR_FIELD_NUMBER: _ClassVar[int]
        LEVEL_FIELD_NUMBER: _ClassVar[int]
        LEVELS_FIELD_NUMBER: _ClassVar[int]
        DIFFERENCE_ERROR_FIELD_NUMBER: _ClassVar[int]
        x: _containers.RepeatedScalarFieldContainer[float]
        y: _containers.RepeatedScalarFieldContainer[float]
        z: _containers.RepeatedScalarFieldContainer[float]
        known: _containers.RepeatedScalarFieldContainer[bool]
        standard_error: _containers.RepeatedScalarFieldContainer[float]
        level: int
        levels: int
        difference_error: _containers.RepeatedScalarFieldContainer[float]
        def __init__(self, x: _Optional[_Iterable[float]] = ..., y: _Optional[_Iterable[float]] = ..., z: _Optional[_Iterable[float]] = ..., known: _Optional[_Iterable[bool]] = ..., standard_error: _Optional[_Iterable[float]] = ..., level: _Optional[int] = ..., levels: _Optional[int] = ..., difference_error: _Optional[_Iterable[float]] = ...) -> None: ...
    class PathTruth(_message.Message):
        __slots__ = ("real", "plane", "residual", "standard_error", "gap_error")
        REAL_FIELD_NUMBER: _ClassVar[int]
        PLANE_FIELD_NUMBER: _ClassVar[int]
        RESIDUAL_FIELD_NUMBER: _ClassVar[int]
        STANDARD_ERROR_FIELD_NUMBER: _ClassVar[int]
        GAP_ERROR_FIELD_NUMBER: _ClassVar[int]
        real: _containers.RepeatedScalarFieldContainer[float]
        plane: _containers.RepeatedScalarFieldContainer[float]
        residual: _containers.RepeatedScalarFieldContainer[float]
        standard_error: _containers.RepeatedScalarFieldContainer[float]
        gap_error: _containers.RepeatedScalarFieldContainer[float]
        def __init__(self, real: _Optional[_Iterable[float]] = ..., plane: _Optional[_Iterable[float]] = ..., residual: _Optional[_Iterable[float]] = ..., standard_error: _Optional[_Iterable[float]] = ..., gap_error: _Optional[_Iterable[float]] = ...) -> None: ...
    class Diagnostics(_message.Message):
        __slots__ = ("axes", "energy", "random_walk_energy", "is_random_walk", "axis_lengths", "axis_cosine", "samples", "seed", "buffers", "is_flat", "interpolation_error", "eigenvalues", "ritz_residuals", "curvature", "provenance", "units", "differing_nodes", "random_walk_residual")
        class ProvenanceEntry(_message.Message):
            __slots__ = ("key", "value")
            KEY_FIELD_NUMBER: _ClassVar[int]
            VALUE_FIELD_NUMBER: _ClassVar[int]
            key: str
            value: str
            def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
        AXES_FIELD_NUMBER: _ClassVar[int]
        ENERGY_FIELD_NUMBER: _ClassVar[int]
        RANDOM_WALK_ENERGY_FIELD_NUMBER: _ClassVar[int]
        IS_RANDOM_WALK_FIELD_NUMBER: _ClassVar[int]
        AXIS_LENGTHS_FIELD_NUMBER: _ClassVar[int]
        AXIS_COSINE_FIELD_NUMBER: _ClassVar[int]
        SAMPLES_FIELD_NUMBER: _ClassVar[int]
        SEED_FIELD_NUMBER: _ClassVar[int]
        BUFFERS_FIELD_NUMBER: _ClassVar[int]
        IS_FLAT_FIELD_NUMBER: _ClassVar[int]
        INTERPOLATION_ERROR_FIELD_NUMBER: _ClassVar[int]
        EIGENVALUES_FIELD_NUMBER: _ClassVar[int]
        RITZ_RESIDUALS_FIELD_NUMBER: _ClassVar[int]
        CURVATURE_FIELD_NUMBER: _ClassVar[int]
        PROVENANCE_FIELD_NUMBER: _ClassVar[int]
        UNITS_FIELD_NUMBER: _ClassVar[int]
        DIFFERING_NODES_FIELD_NUMBER: _ClassVar[int]
        RANDOM_WALK_RESIDUAL_FIELD_NUMBER: _ClassVar[int]
        axes: str
        energy: _containers.RepeatedScalarFieldContainer[float]
        random_walk_energy: _containers.RepeatedScalarFieldContainer[float]
        is_random_walk: bool
        axis_lengths: _containers.RepeatedScalarFieldContainer[float]
        axis_cosine: float
        samples: int
        seed: int
        buffers: str
        is_flat: bool
        interpolation_error: float
        eigenvalues: _containers.RepeatedScalarFieldContainer[float]
        ritz_residuals: _containers.RepeatedScalarFieldContainer[float]
        curvature: _containers.RepeatedScalarFieldContainer[float]
        provenance: _containers.ScalarMap[str, str]
        units: int
        differing_nodes: int
        random_walk_residual: float
        def __init__(self, axes: _Optional[str] = ..., energy: _Optional[_Iterable[float]] = ..., random_walk_energy: _Optional[_Iterable[float]] = ..., is_random_walk: bool = ..., axis_lengths: _Optional[_Iterable[float]] = ..., axis_cosine: _Optional[float] = ..., samples: _Optional[int] = ..., seed: _Optional[int] = ..., buffers: _Optional[str] = ..., is_flat: bool = ..., interpolation_error: _Optional[float] = ..., eigenvalues: _Optional[_Iterable[float]] = ..., ritz_residuals: _Optional[_Iterable[float]] = ..., curvature: _Optional[_Iterable[float]] = ..., provenance: _Optional[_Mapping[str, str]] = ..., units: _Optional[int] = ..., differing_nodes: _Optional[int] = ..., random_walk_residual: _Optional[float] = ...) -> None: ...
    class Details(_message.Message):
        __slots__ = ("measured", "truth", "diagnostics")
        MEASURED_FIELD_NUMBER: _ClassVar[int]
        TRUTH_FIELD_NUMBER: _ClassVar[int]
        DIAGNOSTICS_FIELD_NUMBER: _ClassVar[int]
        measured: LossLandscape.Measured
        truth: LossLandscape.PathTruth
        diagnostics: LossLandscape.Diagnostics
        def __init__(self, measured: _Optional[_Union[LossLandscape.Measured, _Mapping]] = ..., truth: _Optional[_Union[LossLandscape.PathTruth, _Mapping]] = ..., diagnostics: _Optional[_Union[LossLandscape.Diagnostics, _Mapping]] = ...) -> None: ...
    LANDSCAPE_FIELD_NUMBER: _ClassVar[int]
    LOSS_PATH_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    CONVERGENCE_POINT_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    landscape: LossLandscape.Point
    loss_path: LossLandscape.LossPath
    metadata: LossLandscape.Metadata
    convergence_point: LossLandscape.Point
    details: LossLandscape.Details
    def __init__(self, landscape: _Optional[_Union[LossLandscape.Point, _Mapping]] = ..., loss_path: _Optional[_Union[LossLandscape.LossPath, _Mapping]] = ..., metadata: _Optional[_Union[LossLandscape.Metadata, _Mapping]] = ..., convergence_point: _Optional[_Union[LossLandscape.Point, _Mapping]] = ..., details: _Optional[_Union[LossLandscape.Details, _Mapping]] = ...) -> None: ...
