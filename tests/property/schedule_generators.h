// Random schedules, drawn by RapidCheck: to be called inside a property.
#pragma once

#include "runtime/schedule/schedule.h"

namespace kimi3 {

// Any arithmetic, any order of ranks; two-shots ragged more often than not.
ScheduleRequest any_request(int max_world, int max_pieces);

// A generated schedule after a few changes, most of which break it and some of which do not. All
// offsets and counts stay multiples of 16 bytes.
Schedule any_edited_schedule(int max_world, int max_pieces);

}  // namespace kimi3
