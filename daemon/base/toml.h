// toml++ for those that read and edit settings: header-only and without exceptions, whatever the distribution's package
// was built with. Not for headers.
#pragma once

#undef TOML_SHARED_LIB
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>
