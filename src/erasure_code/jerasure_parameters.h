// Parameters that several techniques of jerasure have, and the check of k, m and w together.

#pragma once

#include "erasure_code/parameter.h"
#include "erasure_code/profile.h"

namespace ecbench::jerasure {

Parameter data_chunks(const std::string& default_value);
Parameter coding_chunks(const std::string& default_value);
/// The parameter m of techniques whose only allowed value is m=2.
Parameter two_coding_chunks();
Parameter packet_size();
Parameter per_chunk_alignment();

/// Refuses the profile if k+m is more than 256 (the limit of ecbench) or more than 2^w (the number of elements of the field).
void check_chunk_count(const Profile& profile);

}  // namespace ecbench::jerasure
