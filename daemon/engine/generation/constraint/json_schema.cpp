#include "engine/generation/constraint/json_schema.h"

#include <simdjson.h>

#include "engine/generation/constraint/schema_compiler.h"

namespace llmd::constraint {

using base::ErrorCode;
using base::fail;
using simdjson::SUCCESS;

base::Result<Grammar> compile_json_schema(std::string_view text) {
    if (text.size() > kMaxSchemaBytes) {
        return fail(ErrorCode::InvalidArgument, "json_schema: ", text.size(), " bytes are more than ", kMaxSchemaBytes);
    }
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    auto error = parser.allocate(kMaxSchemaBytes, kMaxSchemaDepth);
    if (error == SUCCESS) error = parser.parse(text.data(), text.size()).get(root);
    if (error != SUCCESS) {
        return fail(ErrorCode::InvalidArgument, "json_schema: it is not JSON that nests at most ", kMaxSchemaDepth,
                    " deep: ", simdjson::error_message(error));
    }
    return SchemaCompiler(root).compile();
}

}  // namespace llmd::constraint
