# C types of the modules of the scan, for the module that setup.py joins them into.
cimport cython


# kinds.py

cdef int MINDSPORE, LINEAGE
cdef int SCALAR, IMAGE, TENSOR, HISTOGRAM, LANDSCAPE, TEXT, AUDIO, METADATA_ONLY, GRAPH
cdef int TRAIN, EVALUATION, DATASET_GRAPH, CUSTOM, CONSOLE, ENVIRONMENT, CODE, ALERT, HEARTBEAT, END, OTHER


# state.py

@cython.final
cdef class Rows:
    cdef int[::1] tag
    cdef long long[::1] step
    cdef unsigned long long[::1] wall_time
    cdef unsigned long long[::1] bits
    cdef double[::1] value
    cdef unsigned int[::1] start
    cdef unsigned int[::1] length
    cdef long long[::1] large

@cython.final
cdef class ScanState:
    cdef public bint has_new_tag, has_bad_header, has_bad_payload, is_cut, is_inside, has_envelope, has_summary, end_is_session_log, has_doubles
    cdef public Py_ssize_t large_bytes, base, position, next, at, needed, summary, summary_end
    cdef public Py_ssize_t rows, partial_rows, large_records, slot
    cdef public Py_ssize_t tag_start, tag_end, payload_start, payload_end, metadata_start, metadata_end
    cdef public Py_ssize_t content, tail, value_end, member_start, member_end
    cdef public Py_ssize_t end_record, end_start, end_length
    cdef public long long kind, member_kind, step, events, summaries, min_step, max_step, heartbeats
    cdef public unsigned long long key, number, bits, wall_time, first_wall, last_wall, heartbeat, phase, heartbeat_wall, end_wall
    cdef public unsigned long long member_key


# wire.py

cdef int FIELD_HEAD_BYTES
cdef unsigned long long MASK_32, MASK_64

cdef inline const unsigned char* pointer(const unsigned char[::1] data)

@cython.locals(number="unsigned long long")
cdef inline unsigned long long u32(const unsigned char* data, Py_ssize_t at) noexcept nogil

cdef inline unsigned long long u64(const unsigned char* data, Py_ssize_t at) noexcept nogil

@cython.locals(number="unsigned long long", byte="unsigned long long", shift=int)
cdef inline Py_ssize_t read_varint(const unsigned char* data, Py_ssize_t at, Py_ssize_t end, ScanState state) noexcept nogil

@cython.locals(wire=int)
cdef Py_ssize_t read_field(const unsigned char* data, Py_ssize_t at, Py_ssize_t end, ScanState state) noexcept nogil


# checksum.py

cdef unsigned long long _MASK_DELTA
cdef const unsigned int[::1] _CRC_TABLES

# The processor's crc32c instruction, where it has one: SSE 4.2 is looked for when the module is loaded, as wheels are
# compiled for every x86-64; ARM's is used where the compiler may assume it, as on Apple's processors.
cdef extern from *:
    """
    #if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
    #include <nmmintrin.h>
    #include <string.h>
    #define has_crc32c() __builtin_cpu_supports("sse4.2")
    __attribute__((target("sse4.2")))
    static unsigned int crc32c_of(const unsigned char* data, Py_ssize_t at, Py_ssize_t end) {
        unsigned long long crc = 0xFFFFFFFFu, bytes;
        unsigned int half;
        for (; at + 8 <= end; at += 8) {
            memcpy(&bytes, data + at, 8);
            crc = _mm_crc32_u64(crc, bytes);
        }
        if (at + 4 <= end) {
            memcpy(&half, data + at, 4);
            crc = _mm_crc32_u32((unsigned int)crc, half);
            at += 4;
        }
        for (; at < end; at++)
            crc = _mm_crc32_u8((unsigned int)crc, data[at]);
        return ~(unsigned int)crc;
    }
    #elif defined(__ARM_FEATURE_CRC32) && defined(__LITTLE_ENDIAN__)
    #include <arm_acle.h>
    #include <string.h>
    #define has_crc32c() 1
    static unsigned int crc32c_of(const unsigned char* data, Py_ssize_t at, Py_ssize_t end) {
        unsigned int crc = 0xFFFFFFFFu;
        unsigned long long bytes;
        for (; at + 8 <= end; at += 8) {
            memcpy(&bytes, data + at, 8);
            crc = __crc32cd(crc, bytes);
        }
        for (; at < end; at++)
            crc = __crc32cb(crc, data[at]);
        return ~crc;
    }
    #else
    #define has_crc32c() 0
    static unsigned int crc32c_of(const unsigned char* data, Py_ssize_t at, Py_ssize_t end) { return 0; }
    #endif
    """
    bint has_crc32c() nogil
    unsigned int crc32c_of(const unsigned char* data, Py_ssize_t at, Py_ssize_t end) noexcept nogil

cdef bint _has_instruction

@cython.locals(crc="unsigned int", low="unsigned int", high="unsigned int")
cdef inline unsigned int crc_by_tables(const unsigned char* data, Py_ssize_t at, Py_ssize_t end) noexcept nogil

@cython.locals(crc="unsigned int")
cdef inline unsigned long long masked_crc(const unsigned char* data, Py_ssize_t at, Py_ssize_t end) noexcept nogil


# scalars.py

cdef unsigned long long _TB_FLOAT, _TB_DOUBLE, _TB_INT32, _TB_INT16, _TB_INT8, _TB_INT64, _TB_BFLOAT16, _TB_HALF
cdef unsigned long long _TB_BOOL, _TB_UINT8, _TB_UINT16, _TB_UINT32, _TB_UINT64
cdef unsigned long long _ONE, INFINITY

@cython.locals(
    sign="unsigned long long",
    exponent="unsigned long long",
    mantissa="unsigned long long",
    largest="unsigned long long",
    hidden="unsigned long long",
)
cdef inline unsigned long long widen(unsigned long long bits, int exponent_bits, int mantissa_bits) noexcept nogil

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
cdef inline bint store_tensor_scalar(
    const unsigned char* data, Py_ssize_t at, Py_ssize_t end, Py_ssize_t row, Rows rows, ScanState state
) noexcept nogil


# tags.py

cdef int _NAME, _NAME_LENGTH, _FIELD, TAG, STORED, FOLLOWER
cdef int STORES_SCALAR, STORES_FIELD, STORES_METADATA
cdef unsigned long long _FNV_OFFSET

@cython.final
cdef class Table:
    cdef long long[:, ::1] slots
    cdef unsigned char[::1] names
    cdef public Py_ssize_t names_end
    cdef Py_ssize_t count

@cython.locals(k=Py_ssize_t)
cdef inline bint _is_name(
    const unsigned char* data, Py_ssize_t start, Py_ssize_t length, Table table, Py_ssize_t name
) noexcept nogil

cdef inline bint is_tag(
    const unsigned char* data, Py_ssize_t start, Py_ssize_t length, long long kind, Table table, Py_ssize_t slot
) noexcept nogil

@cython.locals(hash_value="unsigned long long", k=Py_ssize_t, slot=Py_ssize_t)
cdef inline Py_ssize_t slot_of(
    const unsigned char* data, Py_ssize_t start, Py_ssize_t length, long long kind, Table table
) noexcept nogil

cpdef Py_ssize_t find_slot(const unsigned char[::1] name, Py_ssize_t length, long long kind, Table table)

@cython.locals(slot=Py_ssize_t, k=Py_ssize_t)
cpdef insert(
    const unsigned char[::1] name, Py_ssize_t length, long long kind, long long number, long long stores, Table table
)


# values.py

cdef int _EXACT_BYTES

@cython.locals(tag=Py_ssize_t, scalar=Py_ssize_t, after=Py_ssize_t)
cdef inline bint _read_usual_value(
    const unsigned char* data, Py_ssize_t at, Py_ssize_t end, int dialect, ScanState state
) noexcept nogil

@cython.locals(
    key="unsigned long long",
    content=Py_ssize_t,
    after=Py_ssize_t,
    edge=Py_ssize_t,
    kind="long long",
    bits="unsigned long long",
    exact="unsigned long long",
    has_exact=cython.bint,
)
cdef bint read_value(
    const unsigned char* data, Py_ssize_t at, Py_ssize_t end, Py_ssize_t size, int dialect, ScanState state
) noexcept nogil


# events.py

cdef int FOOTER_BYTES, _USUAL_ENVELOPE_BYTES, _VALUE_START_BYTES, _LARGEST_READ

cdef inline long long _member_kind(int dialect, unsigned long long key) noexcept nogil

cdef inline long long _own_kind(int dialect, unsigned long long key) noexcept nogil

@cython.locals(at=Py_ssize_t, after=Py_ssize_t, content=Py_ssize_t, step="unsigned long long")
cdef inline bint _read_usual_envelope(const unsigned char* data, Py_ssize_t end, ScanState state) noexcept nogil

@cython.locals(
    at=Py_ssize_t, key="unsigned long long", content=Py_ssize_t, after=Py_ssize_t, kind="long long"
)
cdef inline bint _read_envelope(
    const unsigned char* data, Py_ssize_t end, Py_ssize_t edge, int dialect, ScanState state
) noexcept nogil

cdef bint cut(Py_ssize_t at, Py_ssize_t needed, ScanState state) noexcept nogil

cdef inline bint _is_incomplete(Py_ssize_t size, ScanState state) noexcept nogil

@cython.locals(length=Py_ssize_t, slot=Py_ssize_t, row=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t)
cdef inline bint _append_row(
    const unsigned char* data,
    Py_ssize_t at,
    Py_ssize_t size,
    Table table,
    Rows rows,
    ScanState state,
) noexcept nogil

@cython.locals(
    at=Py_ssize_t,
    end=Py_ssize_t,
    key="unsigned long long",
    content=Py_ssize_t,
    after=Py_ssize_t,
    needed=Py_ssize_t,
)
cdef inline bint _read_summary(
    const unsigned char* data, Py_ssize_t size, Py_ssize_t edge, int dialect, Table table, Rows rows, ScanState state
) noexcept nogil

@cython.locals(end=Py_ssize_t, edge=Py_ssize_t, key="unsigned long long", content=Py_ssize_t, after=Py_ssize_t)
cdef inline bint read_event(
    const unsigned char* data, Py_ssize_t size, int dialect, Table table, Rows rows, ScanState state
) noexcept nogil


# records.py

cdef int _HEADER_BYTES
cdef unsigned long long _LONGEST_PAYLOAD, _LONGEST_EVENT

@cython.locals(position=Py_ssize_t, length="unsigned long long", start=Py_ssize_t, end=Py_ssize_t)
cdef inline bint _open_record(
    const unsigned char* data, Py_ssize_t size, Py_ssize_t available, ScanState state
) noexcept nogil

cdef inline void _finish_record(Rows rows, ScanState state) noexcept nogil

cdef inline void _count_event(ScanState state) noexcept nogil

cdef inline void _scan_records(
    const unsigned char* data,
    Py_ssize_t size,
    Py_ssize_t limit,
    Py_ssize_t available,
    int dialect,
    Table table,
    Rows rows,
    ScanState state,
) noexcept nogil

@cython.locals(content="const unsigned char*")
cpdef scan(
    const unsigned char[::1] data,
    Py_ssize_t size,
    Py_ssize_t limit,
    Py_ssize_t available,
    int dialect,
    Table table,
    Rows rows,
    ScanState state,
)

@cython.locals(header=Py_ssize_t, content="const unsigned char*")
cpdef Py_ssize_t next_header(const unsigned char[::1] data, Py_ssize_t at, Py_ssize_t size)
