//! The table of the operations, the one place where they are listed.

/// Hands the table to a macro.
///
/// A row is: name, the client's method, input, output, whether a success has a body
/// ([`Body`](super::Body)), whether sending it again is harmless ([`Repeat`](super::Repeat), which
/// the row's doc argues), and how soon SQS answers ([`Pace`](super::Pace)).
macro_rules! operation_table {
    ($then:ident) => {
        $then! {
            /// Adds a statement to a queue's policy.
            ///
            /// Not safe to send again: AWS may answer that the label exists, or store the statement
            /// twice.
            AddPermission add_permission(AddPermissionInput)
                -> AddPermissionOutput, Empty, Unsafe, Prompt;
            /// Cancels a move task that runs.
            ///
            /// Safe to send again: a cancelled task stays cancelled. The second answer may be that
            /// the task is no longer active.
            CancelMessageMoveTask cancel_message_move_task(CancelMessageMoveTaskInput)
                -> CancelMessageMoveTaskOutput, Object, Safe, Prompt;
            /// Sets how long a received message stays hidden.
            ///
            /// Safe to send again: the period starts anew with the same length, by as much later as
            /// the repetition is.
            ChangeMessageVisibility change_message_visibility(ChangeMessageVisibilityInput)
                -> ChangeMessageVisibilityOutput, Empty, Safe, Prompt;
            /// Sets how long each of up to ten received messages stays hidden.
            ///
            /// Safe to send again, as the single change is.
            ChangeMessageVisibilityBatch
                change_message_visibility_batch(ChangeMessageVisibilityBatchInput)
                -> ChangeMessageVisibilityBatchOutput, Object, Safe, Prompt;
            /// Creates a queue, or gives the URL of the one that is there with the same attributes.
            ///
            /// Safe to send again: the second call finds the queue that the first one made.
            CreateQueue create_queue(CreateQueueInput) -> CreateQueueOutput, Object, Safe, Prompt;
            /// Deletes a received message.
            ///
            /// Safe to send again: deleting a message that is gone succeeds.
            DeleteMessage delete_message(DeleteMessageInput)
                -> DeleteMessageOutput, Empty, Safe, Prompt;
            /// Deletes up to ten received messages.
            ///
            /// Safe to send again, as the single deletion is.
            DeleteMessageBatch delete_message_batch(DeleteMessageBatchInput)
                -> DeleteMessageBatchOutput, Object, Safe, Prompt;
            /// Deletes a queue with its messages.
            ///
            /// Safe to send again: the queue is gone either way, and its name cannot be taken anew
            /// for 60 seconds. The second answer may be that the queue does not exist.
            DeleteQueue delete_queue(DeleteQueueInput) -> DeleteQueueOutput, Empty, Safe, Prompt;
            /// Reads a queue's attributes.
            ///
            /// Safe to send again: it changes nothing.
            GetQueueAttributes get_queue_attributes(GetQueueAttributesInput)
                -> GetQueueAttributesOutput, Object, Safe, Prompt;
            /// Finds a queue's URL by its name.
            ///
            /// Safe to send again: it changes nothing.
            GetQueueUrl get_queue_url(GetQueueUrlInput) -> GetQueueUrlOutput, Object, Safe, Prompt;
            /// Lists the queues that use a queue as their dead-letter queue.
            ///
            /// Safe to send again: it changes nothing.
            ListDeadLetterSourceQueues
                list_dead_letter_source_queues(ListDeadLetterSourceQueuesInput)
                -> ListDeadLetterSourceQueuesOutput, Object, Safe, Prompt;
            /// Lists the latest move tasks of a dead-letter queue.
            ///
            /// Safe to send again: it changes nothing.
            ListMessageMoveTasks list_message_move_tasks(ListMessageMoveTasksInput)
                -> ListMessageMoveTasksOutput, Object, Safe, Prompt;
            /// Reads a queue's tags.
            ///
            /// Safe to send again: it changes nothing.
            ListQueueTags list_queue_tags(ListQueueTagsInput)
                -> ListQueueTagsOutput, Object, Safe, Prompt;
            /// Lists the caller's queues.
            ///
            /// Safe to send again: it changes nothing.
            ListQueues list_queues(ListQueuesInput) -> ListQueuesOutput, Object, Safe, Prompt;
            /// Deletes all messages of a queue.
            ///
            /// Not safe to send again: messages sent after the first purge would go too, and AWS
            /// refuses a second purge within 60 seconds.
            PurgeQueue purge_queue(PurgeQueueInput) -> PurgeQueueOutput, Empty, Unsafe, Prompt;
            /// Receives up to ten messages, and hides them from other receives for a while.
            ///
            /// Safe to send again: repeating it only hides other messages for a while. Those of a
            /// lost answer come back when their visibility timeout ends, and their receive count
            /// has grown.
            ReceiveMessage receive_message(ReceiveMessageInput)
                -> ReceiveMessageOutput, Object, Safe, LongPoll;
            /// Removes a statement from a queue's policy.
            ///
            /// Safe to send again: the statement is gone either way. The second answer may be that
            /// the label cannot be found.
            RemovePermission remove_permission(RemovePermissionInput)
                -> RemovePermissionOutput, Empty, Safe, Prompt;
            /// Sends a message.
            ///
            /// Not safe to send again: a standard queue would hold the message twice. A FIFO queue
            /// drops the repetition, but the operation alone does not tell which kind the queue is.
            SendMessage send_message(SendMessageInput) -> SendMessageOutput, Object, Unsafe, Prompt;
            /// Sends up to ten messages.
            ///
            /// Not safe to send again, as the single send is not.
            SendMessageBatch send_message_batch(SendMessageBatchInput)
                -> SendMessageBatchOutput, Object, Unsafe, Prompt;
            /// Sets some of a queue's attributes.
            ///
            /// Safe to send again: the values are the same.
            SetQueueAttributes set_queue_attributes(SetQueueAttributesInput)
                -> SetQueueAttributesOutput, Empty, Safe, Prompt;
            /// Starts to move a dead-letter queue's messages.
            ///
            /// Not safe to send again: when the first task is done by then, a second one moves the
            /// messages that failed since.
            StartMessageMoveTask start_message_move_task(StartMessageMoveTaskInput)
                -> StartMessageMoveTaskOutput, Object, Unsafe, Prompt;
            /// Adds tags to a queue.
            ///
            /// Safe to send again: the tags are the same.
            TagQueue tag_queue(TagQueueInput) -> TagQueueOutput, Empty, Safe, Prompt;
            /// Removes tags from a queue.
            ///
            /// Safe to send again: tags that are not there are ignored.
            UntagQueue untag_queue(UntagQueueInput) -> UntagQueueOutput, Empty, Safe, Prompt;
        }
    };
}

pub(crate) use operation_table;
