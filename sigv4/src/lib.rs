//! AWS Signature Version 4: signing and verifying, every stage a value you can see.
