// Package stripe keeps customers and subscriptions at Stripe, spoken to over
// its HTTP API (docs.stripe.com/api) at a pinned version.
//
// What Stripe does and what follows here:
//
//   - Objects have ids and no names. Ours carry the marker in their metadata.
//     Without an id a customer is found by reading the list, a subscription by
//     reading its customer's list: lists are exact, the search API lags.
//   - A POST with an Idempotency-Key stores the answer of the first request,
//     also a 500, for at least 24 hours. A stored answer shows the past, so the
//     object is read again; a stored failure has the code billing.stored_failure
//     and needs another key, as does billing.key_mismatch.
//   - A deleted customer answers 200 with deleted: true, a canceled
//     subscription 200 with its status. Both are absent.
//   - An object of the other mode (live or test) answers 404 and says so in
//     its text. That is a wrong key, not an absence.
//   - A lookup key can move to another price, and a price can be archived while
//     it is in use. A subscription remembers in its metadata the plan and the
//     price it was given, so neither is drift.
package stripe
