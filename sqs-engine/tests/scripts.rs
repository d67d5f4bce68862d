//! The behaviour of queues as scripts that anyone can read, one line a step.
//!
//! Each file in `tests/scripts/` shows one rule, and is named after the section that the rule has
//! in our list of SQS's rules: 2 operations, 3 queue attributes, 4 the life of a message, 5 FIFO
//! queues, 6 digests, 7 limits, 8 what is ours. The language is described in `script/mod.rs`.

mod script;

use std::collections::BTreeSet;
use std::path::Path;

/// Makes a test of each file, and one that sees to it that no file is forgotten.
macro_rules! scripts {
    ($($test:ident $file:literal;)+) => {
        $(
            #[test]
            fn $test() {
                script::run($file, include_str!(concat!("scripts/", $file)));
            }
        )+

        #[test]
        fn every_script_is_run() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
            let there: BTreeSet<_> = std::fs::read_dir(folder)
                .expect("the folder of scripts")
                .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
                .collect();
            let run: BTreeSet<_> = [$($file.to_owned()),+].into();
            assert_eq!(there, run);
        }
    };
}

/// A script that goes otherwise than it says must fail, or none of the others proves anything.
#[test]
fn a_wrong_expectation_fails() {
    let wrong = [
        "receive -> A",
        "send A -> error InvalidMessageContents",
        "set Bogus=1",
        "set Bogus=1 -> ok",
        "set Bogus=1 -> error InvalidAttributeValue",
        "set Bogus=1 -> error InvalidAttributeName: Unknown Attribute Others.",
        "call ReceiveMessage {\"QueueUrl\":\"q\"} -> {\"Messages\":[]}",
        "call ListQueues {} -> {\"QueueUrls\":[\"*\",\"*\"]}",
        "counts -> visible=1 delayed=0 in-flight=0",
    ];
    for line in wrong {
        let script = format!("== a queue\nqueue\n{line}");
        assert_eq!(
            script::failures("wrong.txt", &script).len(),
            1,
            "this passes: {line}"
        );
    }
}

scripts! {
    s2_0_queue_url "2.0-queue-url.txt";
    s2_1_add_permission "2.1-add-permission.txt";
    s2_3_change_visibility "2.3-change-visibility.txt";
    s2_5_create_queue "2.5-create-queue.txt";
    s2_8_delete_queue "2.8-delete-queue.txt";
    s2_9_get_attributes "2.9-get-attributes.txt";
    s2_10_get_queue_url "2.10-get-queue-url.txt";
    s2_11_list_dead_letter_sources "2.11-list-dead-letter-sources.txt";
    s2_14_list_queues "2.14-list-queues.txt";
    s2_15_purge "2.15-purge.txt";
    s2_16_receive "2.16-receive.txt";
    s2_17_remove_permission "2.17-remove-permission.txt";
    s2_18_send "2.18-send.txt";
    s2_19_send_batch "2.19-send-batch.txt";
    s2_20_batches "2.20-batches.txt";
    s2_21_set_attributes "2.21-set-attributes.txt";
    s2_23_tags "2.23-tags.txt";
    s3_1_policy "3.1-policy.txt";
    s3_2_counters "3.2-counters.txt";
    s3_4_redrive_policy "3.4-redrive-policy.txt";
    s3_5_redrive_allow_policy "3.5-redrive-allow-policy.txt";
    s3_6_encryption "3.6-encryption.txt";
    s4_1_retention "4.1-retention.txt";
    s4_2_delay "4.2-delay.txt";
    s4_3_polling "4.3-polling.txt";
    s4_4_visibility "4.4-visibility.txt";
    s4_5_receipt_handles "4.5-receipt-handles.txt";
    s4_6_system_attributes "4.6-system-attributes.txt";
    s4_7_dead_letters "4.7-dead-letters.txt";
    s4_7_fifo_dead_letters "4.7-fifo-dead-letters.txt";
    s4_8_fifo_move_tasks "4.8-fifo-move-tasks.txt";
    s4_8_move_tasks "4.8-move-tasks.txt";
    s4_9_in_flight_limits "4.9-in-flight-limits.txt";
    s5_8_fair_queues "5.8-fair-queues.txt";
    reports_fifo "reports-fifo.txt";
    s3_3_fifo_attributes "3.3-fifo-attributes.txt";
    s4_2_fifo_delay "4.2-fifo-delay.txt";
    s4_3_fifo_polling "4.3-fifo-polling.txt";
    s4_5_fifo_receipt_handles "4.5-fifo-receipt-handles.txt";
    s5_1_delivery "5.1-delivery.txt";
    s5_2_order_of_groups "5.2-order-of-groups.txt";
    s5_3_deduplication "5.3-deduplication.txt";
    s5_4_sequence_numbers "5.4-sequence-numbers.txt";
    s5_5_sending "5.5-sending.txt";
    s5_7_attempts "5.7-attempts.txt";
    s6_digests "6-digests.txt";
    s7_1_sizes "7.1-sizes.txt";
    s7_2_message_attributes "7.2-message-attributes.txt";
    s7_5_tags "7.5-tags.txt";
    s8_1_accounts_and_regions "8.1-accounts-and-regions.txt";
    s8_3_access "8.3-access.txt";
    s8_4_faults "8.4-faults.txt";
}
