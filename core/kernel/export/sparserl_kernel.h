/* SPDX-License-Identifier: Apache-2.0 */
/* C interface of the exported kernel @PROGRAM_SHORT@ (@TASK@). All functions return 0, or 1 with a message. */
#ifndef SPARSERL_KERNEL_H
#define SPARSERL_KERNEL_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sparserl_handle sparserl_handle;

/* Converts a CSR matrix in host memory (columns ascend in each row) and copies it to the current device.
   dense_cols: columns of the dense operands in SpMM, 1 in SpMV. */
int sparserl_@TASK@_create(sparserl_handle** handle, int rows, int cols, const int* row_ptr, const int* col,
                         const float* val, int dense_cols);

/* output = A * input on `stream` (a cudaStream_t, or NULL). Device memory, float; row-major where dense. */
int sparserl_@TASK@_run(const sparserl_handle* handle, const float* input, float* output, void* stream);

void sparserl_@TASK@_destroy(sparserl_handle* handle);

/* What went wrong in this thread's last call that returned 1. */
const char* sparserl_@TASK@_error(void);

#ifdef __cplusplus
}
#endif

#endif
