// Package stripe plays the part of the Stripe API that billing needs:
// customers, subscriptions, subscription items, prices and products, in the
// shapes of API versions from 2025-03-31 on (billing periods sit on the items).
//
// Idempotency follows https://docs.stripe.com/api/idempotent_requests and
// https://docs.stripe.com/error-low-level#idempotency:
//
//   - only POST knows keys; they live for 24 hours;
//   - the answer is stored once the endpoint began to execute, also a 4xx or
//     500; what was refused before (credentials, rate limits, parameters that
//     are malformed, unknown or missing) is not stored;
//   - the same key with the same endpoint and parameters gets the stored answer,
//     with Idempotent-Replayed: true; with others 400 idempotency_error; while
//     the first request runs 409 idempotency_key_in_use.
//
// What else surprises clients: a subscription that charges automatically is
// refused while the customer has no payment method (this sandbox knows none),
// so use collection_method=send_invoice with days_until_due, a trial, or
// payment_behavior=default_incomplete; a deleted customer is still answered
// with 200 and deleted: true; lists hide deleted customers and, unless status
// says otherwise, cancelled subscriptions.
package stripe
