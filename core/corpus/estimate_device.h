// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparserl {

struct DeviceModel;

/// The properties of a GPU from which times are estimated. The weights of families (EstimateFit) were fitted
/// to times on one H200, with rounded properties of that GPU. For another GPU, the properties are scaled by
/// the ratio of the two device models.
struct SpmvDevice
{
    double sms = 0;
    double threadsPerSm = 0;
    double registersPerSm = 0;
    double dramBytesPerUs = 0;
    double l2BytesPerUs = 0;
    double l2Bytes = 0;   ///< Bytes that stay in L2 between calls.
    double l1Columns = 0; ///< Elements of x that L1 holds in addition to the matrix.
    double smBytesPerUs = 0;
    double lanesPerUs = 0;  ///< Thread instructions per microsecond.
    double doubleSlots = 1; ///< Issue slots per double-precision instruction.
    double shuffleUs = 0;
    double l2LatencyUs = 0, dramLatencyUs = 0;
    // Costs relative to the costs on an H200.
    double call = 1;   ///< The cost of a call with one launch.
    double launch = 1; ///< The cost of each further launch.
    double clear = 1;  ///< The cost of clearing a buffer.
    double block = 1;  ///< The cost of starting many blocks.
    double atomic = 1; ///< The cost of an atomic on a word that no other atomic uses.
};
SpmvDevice spmvDevice(const DeviceModel& model);

} // namespace sparserl
