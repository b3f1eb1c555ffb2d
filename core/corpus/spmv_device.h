// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparserl {

/// What the estimate of SpMV times needs to know of a GPU.
struct SpmvDevice
{
    double sms = 132;
    double threadsPerSm = 2048;
    double dramBytesPerUs = 4.4e6;
    double l2BytesPerUs = 7.5e6;
    double l2Bytes = 45e6;   ///< What stays resident from call to call.
    double l1Columns = 40e3; ///< Elements of x that L1 keeps beside the matrix.
    double smBytesPerUs = 0.1e6;
    double lanesPerUs = 132.0 * 128.0 * 1700; ///< Thread instructions.
    double shuffleUs = 0.014;
    double l2LatencyUs = 0.16, dramLatencyUs = 0.4;
};

} // namespace sparserl
