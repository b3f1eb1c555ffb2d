// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparserl {

struct DeviceModel;

/// Properties of a GPU used by estimates of times. The weights of families (EstimateFit) were fitted to times
/// on one H200, with rounded properties of that GPU. For another GPU, properties are scaled by the ratio of
/// the two device models.
struct SpmvDevice
{
    double sms = 0;
    double threadsPerSm = 0;
    double registersPerSm = 0;
    double dramBytesPerUs = 0;
    double l2BytesPerUs = 0;
    double l2Bytes = 0;   ///< Bytes that stay resident between calls.
    double l1Columns = 0; ///< Elements of x that L1 holds in addition to the matrix.
    double smBytesPerUs = 0;
    double lanesPerUs = 0;  ///< Thread instructions per microsecond.
    double doubleSlots = 1; ///< Issue slots per double-precision instruction.
    double shuffleUs = 0;
    double l2LatencyUs = 0, dramLatencyUs = 0;
    // Costs relative to those on an H200.
    double call = 1;   ///< Cost of a call with one launch.
    double launch = 1; ///< Cost of a further launch.
    double clear = 1;  ///< Cost of a cleared buffer.
    double block = 1;  ///< Cost of starting many blocks.
    double atomic = 1; ///< Cost of an atomic on a word that no other atomic uses.
};
SpmvDevice spmvDevice(const DeviceModel& model);

} // namespace sparserl
