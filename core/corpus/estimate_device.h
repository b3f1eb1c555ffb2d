// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparserl {

struct DeviceModel;

/// What estimates of times need to know of a GPU. Weights of families (EstimateFit) were fitted to times
/// of one H200 with rounded figures of that GPU; those of another are in proportion, as the two models are.
struct SpmvDevice
{
    double sms = 0;
    double threadsPerSm = 0;
    double registersPerSm = 0;
    double dramBytesPerUs = 0;
    double l2BytesPerUs = 0;
    double l2Bytes = 0;   ///< What stays resident from call to call.
    double l1Columns = 0; ///< Elements of x that L1 keeps beside the matrix.
    double smBytesPerUs = 0;
    double lanesPerUs = 0;  ///< Thread instructions.
    double doubleSlots = 1; ///< Of the issue, for an instruction in double precision.
    double shuffleUs = 0;
    double l2LatencyUs = 0, dramLatencyUs = 0;
    // Costs over those on an H200.
    double call = 1;   ///< Of a call with one launch.
    double launch = 1; ///< Of a further launch.
    double clear = 1;  ///< Of a cleared buffer.
    double block = 1;  ///< Of starting many blocks.
    double atomic = 1; ///< Of an atomic on its own word.
};
SpmvDevice spmvDevice(const DeviceModel& model);

} // namespace sparserl
