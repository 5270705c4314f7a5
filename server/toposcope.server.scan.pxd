# C types of scan.py. Cython looks for them under the full name of the module, as its folder is not called toposcope.
cimport cython

cdef int _MINDSPORE, _SCALAR, _IMAGE, _TENSOR, _HISTOGRAM, _LANDSCAPE, _TEXT, _AUDIO, _METADATA_ONLY
cdef int _NAME, _NAME_LENGTH, _FIELD, _TAG, _IS_SCALAR, _FOLLOWER
cdef unsigned long long _TB_FLOAT, _TB_DOUBLE, _TB_INT32, _TB_INT16, _TB_INT8, _TB_INT64, _TB_BFLOAT16, _TB_HALF
cdef unsigned long long _TB_BOOL, _TB_UINT8, _TB_UINT16, _TB_UINT32, _TB_UINT64
cdef int _HEADER_BYTES, _FOOTER_BYTES
cdef unsigned long long _ONE, _ONES_32, _ONES_64, _FNV_OFFSET, _LONGEST, _MASK_DELTA, _INFINITY
cdef const unsigned int[::1] _CRC_TABLES


@cython.final
cdef class Rows:
    cdef int[::1] tag
    cdef long long[::1] step
    cdef unsigned long long[::1] wall_time
    cdef unsigned long long[::1] bits
    cdef double[::1] value


@cython.final
cdef class Table:
    cdef long long[:, ::1] slots
    cdef const unsigned char[::1] names
    cdef Py_ssize_t count


@cython.final
cdef class State:
    cdef public bint has_new_tag, has_bad_header, has_bad_payload, has_summary
    cdef public Py_ssize_t position, next, resume, rows, partial_rows, slot
    cdef public Py_ssize_t tag_start, tag_end, tensor_start, tensor_end, metadata_start, metadata_end, summary
    cdef public long long code, step, summaries, min_step, max_step
    cdef public unsigned long long wall_time, first_wall, last_wall


@cython.locals(number="unsigned long long")
cdef inline unsigned long long _u32(const unsigned char[::1] data, Py_ssize_t at) noexcept nogil

cdef inline unsigned long long _u64(const unsigned char[::1] data, Py_ssize_t at) noexcept nogil

@cython.locals(crc="unsigned int", low="unsigned int", high="unsigned int")
cdef inline unsigned long long _masked_crc(const unsigned char[::1] data, Py_ssize_t at, Py_ssize_t end) noexcept nogil

@cython.locals(number="unsigned long long", byte="unsigned long long", shift=int)
cdef (unsigned long long, Py_ssize_t) _varint(const unsigned char[::1] data, Py_ssize_t at, Py_ssize_t end) noexcept nogil

@cython.locals(key="unsigned long long", number="unsigned long long", wire=int, after=Py_ssize_t)
cdef (unsigned long long, Py_ssize_t, Py_ssize_t) _field(
    const unsigned char[::1] data, Py_ssize_t at, Py_ssize_t end
) noexcept nogil

@cython.locals(
    sign="unsigned long long",
    exponent="unsigned long long",
    mantissa="unsigned long long",
    largest="unsigned long long",
    hidden="unsigned long long",
)
cdef inline unsigned long long _widen(unsigned long long bits, int exponent_bits, int mantissa_bits) noexcept nogil

cdef inline int _element_bytes(unsigned long long dtype) noexcept nogil

@cython.locals(width=int, is_signed=cython.bint, magnitude=double)
cdef inline void _store(unsigned long long bits, unsigned long long dtype, Py_ssize_t row, Rows rows) noexcept nogil

@cython.locals(
    key="unsigned long long",
    field="unsigned long long",
    content=Py_ssize_t,
    after=Py_ssize_t,
    start=Py_ssize_t,
    size=Py_ssize_t,
    dtype="unsigned long long",
    bits="unsigned long long",
    has_bits=cython.bint,
    byte="unsigned long long",
    k=Py_ssize_t,
    i=Py_ssize_t,
)
cdef inline bint _tensor_scalar(
    const unsigned char[::1] data, Py_ssize_t at, Py_ssize_t end, Py_ssize_t row, Rows rows
) noexcept nogil

@cython.locals(k=Py_ssize_t)
cdef inline bint _is_name(
    const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t length, const unsigned char[::1] names, Py_ssize_t name
) noexcept nogil

cdef inline bint _is_tag(
    const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t length, long long code, Table table, Py_ssize_t slot
) noexcept nogil

@cython.locals(hashed="unsigned long long", k=Py_ssize_t, slot=Py_ssize_t)
cpdef Py_ssize_t find_slot(
    const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t length, long long code, Table table
) noexcept nogil

@cython.locals(
    key="unsigned long long",
    content=Py_ssize_t,
    after=Py_ssize_t,
    code="long long",
    bits="unsigned long long",
    exact="unsigned long long",
    has_exact=cython.bint,
)
cdef (bint, unsigned long long) _value(
    const unsigned char[::1] data, Py_ssize_t at, Py_ssize_t end, int dialect, State state
) noexcept nogil

@cython.locals(key="unsigned long long", content=Py_ssize_t, after=Py_ssize_t, step="unsigned long long")
cdef inline bint _envelope(const unsigned char[::1] data, Py_ssize_t at, Py_ssize_t end, State state) noexcept nogil

@cython.locals(
    key="unsigned long long", content=Py_ssize_t, after=Py_ssize_t, is_sound=cython.bint, bits="unsigned long long"
)
cdef inline bint _summary(
    const unsigned char[::1] data, Py_ssize_t at, Py_ssize_t end, int dialect, Table table, Rows rows, State state
) noexcept nogil

@cython.locals(length=Py_ssize_t, slot=Py_ssize_t, row=Py_ssize_t)
cdef inline bint _row(
    const unsigned char[::1] data, Py_ssize_t at, unsigned long long bits, Table table, Rows rows, State state
) noexcept nogil

@cython.locals(at=Py_ssize_t, resume=Py_ssize_t, key="unsigned long long", content=Py_ssize_t, after=Py_ssize_t)
cdef inline bint _event(
    const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t end, int dialect, Table table, Rows rows, State state
) noexcept nogil

cdef inline void _commit(State state) noexcept nogil

@cython.locals(position=Py_ssize_t, length="unsigned long long", start=Py_ssize_t, end=Py_ssize_t)
cdef inline void _records(
    const unsigned char[::1] data, Py_ssize_t size, int dialect, Table table, Rows rows, State state
) noexcept nogil

cpdef scan(const unsigned char[::1] data, Py_ssize_t size, int dialect, Table table, Rows rows, State state)

@cython.locals(found=Py_ssize_t)
cpdef Py_ssize_t next_header(const unsigned char[::1] data, Py_ssize_t at, Py_ssize_t size)
