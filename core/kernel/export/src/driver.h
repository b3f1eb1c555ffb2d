// SPDX-License-Identifier: Apache-2.0
// The CUDA driver API, opened at run time, so that a build needs neither the CUDA toolkit nor its headers.
#pragma once

#include "status.h"

#include <cstddef>
#include <cstdint>

namespace sparserl_bundle {

using DevicePointer = std::uint64_t;
using Context = void*;
using Module = void*;
using Function = void*;
using Stream = void*;
using Event = void*;

/// The driver functions that the bundle uses, with the driver's types (CUresult and CUdevice are ints).
struct Driver
{
    int (*init)(unsigned);
    int (*get_error_name)(int, const char**);
    int (*get_error_string)(int, const char**);
    int (*device_get_count)(int*);
    int (*device_get)(int*, int);
    int (*device_get_attribute)(int*, int, int);
    int (*device_get_name)(char*, int, int);
    int (*primary_ctx_retain)(Context*, int);
    int (*primary_ctx_release)(int);
    int (*ctx_get_current)(Context*);
    int (*ctx_push_current)(Context);
    int (*ctx_pop_current)(Context*);
    int (*ctx_get_device)(int*);
    int (*module_load_data_ex)(Module*, const void*, unsigned, int*, void**);
    int (*module_unload)(Module);
    int (*module_get_function)(Function*, Module, const char*);
    int (*func_set_attribute)(Function, int, int);
    int (*mem_alloc)(DevicePointer*, std::size_t);
    int (*mem_free)(DevicePointer);
    int (*memcpy_htod_async)(DevicePointer, const void*, std::size_t, Stream);
    int (*memcpy_dtoh)(void*, DevicePointer, std::size_t);
    int (*memcpy_dtod_async)(DevicePointer, DevicePointer, std::size_t, Stream);
    int (*pointer_get_attribute)(void*, int, DevicePointer);
    int (*memset_d8_async)(DevicePointer, unsigned char, std::size_t, Stream);
    int (*stream_create)(Stream*, unsigned);
    int (*stream_destroy)(Stream);
    int (*stream_synchronize)(Stream);
    int (*stream_is_capturing)(Stream, int*);
    int (*stream_begin_capture)(Stream, int);
    int (*stream_end_capture)(Stream, void** graph);
    int (*graph_instantiate)(void** exec, void* graph, unsigned long long flags);
    int (*graph_launch)(void* exec, Stream);
    int (*graph_exec_destroy)(void*);
    int (*graph_destroy)(void*);
    int (*event_create)(Event*, unsigned);
    int (*event_destroy)(Event);
    int (*event_record)(Event, Stream);
    int (*event_synchronize)(Event);
    int (*event_elapsed_time)(float*, Event, Event);
    int (*launch_kernel)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                         Stream, void**, void**);

    /// Throws Failure if `code` is an error: "WHAT: an illegal memory access (CUDA_ERROR_...)".
    void check(int code, const char* what) const;
};

/// Opens libcuda.so.1 once. Throws Failure(no_driver) or Failure(no_device) with a message.
const Driver& driver();

/// Makes a context current while this object exists.
class UseContext
{
public:
    explicit UseContext(Context context);
    ~UseContext();
    UseContext(const UseContext&) = delete;
    UseContext& operator=(const UseContext&) = delete;

private:
    bool m_pushed = false;
};

} // namespace sparserl_bundle
