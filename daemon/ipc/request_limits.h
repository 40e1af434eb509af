// Limits on what a client may ask for, beside those of the service (service/request.h), that all front ends share.
#pragma once

namespace llmd::ipc {

// Below this the penalty is so strong that its inverse leaves the range in which logits differ.
inline constexpr double kMinRepeatPenalty = 0.01;

}  // namespace llmd::ipc
