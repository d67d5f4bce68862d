//! AWS's JSON protocol 1.0 and 1.1: a codec and a signed hyper client.
