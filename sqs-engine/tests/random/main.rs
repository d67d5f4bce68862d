//! Random commands: at standard queues, at FIFO queues, and at queues that send each other their
//! dead letters.
//!
//! Each run follows from its seed. A failure names the seed; `SQS_ENGINE_SEED=<seed>` runs that one
//! alone.

mod fifo;
mod redrive;
mod replay;
mod rig;
mod soak;
mod standard;
