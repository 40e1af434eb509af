// The answer that a D-Bus method call still waits for. Copyable, so that callbacks can hold it; answer exactly once.
// Never throws: a caller that has gone cannot be answered, and that is no error.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "api/errors.h"
#include "base/error.h"
#include "base/utf8.h"
#include "bus/sdbus_compat.h"

namespace llmd::dbus {

inline sdbus::Error to_dbus_error(const base::Error& error) {
    // Cleaned, because a D-Bus string is UTF-8 and a path in a message may be anything.
    return bus::make_error(api::dbus_error_name(error.code), base::to_clean_text(error.message));
}

template <typename... Values>
class Reply {
public:
    Reply(std::shared_ptr<sdbus::IConnection> connection, sdbus::Result<Values...>&& result)
        : call_(std::make_shared<Call>(Call{std::move(connection), std::move(result)})) {}

    // False when the caller did not get it.
    bool send(const Values&... values) const {
        try {
            call_->result.returnResults(values...);
            return true;
        } catch (const sdbus::Error& error) {
            // An answer that does not fit into a message, or no bus any more; then this fails too.
            fail(base::fail(base::ErrorCode::Failed, "the answer could not be sent: ", error.getMessage()));
            return false;
        }
    }

    void fail(const base::Error& error) const {
        try {
            call_->result.returnError(to_dbus_error(error));
        } catch (const sdbus::Error&) {
        }
    }

private:
    // The result's message belongs to the connection, which a lost bus would otherwise destroy first.
    struct Call {
        std::shared_ptr<sdbus::IConnection> connection;
        sdbus::Result<Values...> result;
    };
    std::shared_ptr<Call> call_;
};

}  // namespace llmd::dbus
