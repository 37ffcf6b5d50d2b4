/*
 * sal.h: annotations for static analysers. No compiler used here reads them, so all of them are empty: they are there
 * because driver sources carry them, and because a reader learns from them who writes what.
 */

#ifndef _SAL_H_
#define _SAL_H_

/* Parameters: read, written, or both. */
#define _In_
#define _In_z_
#define _In_opt_
#define _In_opt_z_
#define _In_range_(low, high)
#define _In_reads_(count)
#define _In_reads_opt_(count)
#define _In_reads_bytes_(size)
#define _In_reads_bytes_opt_(size)
#define _In_reads_z_(count)
#define _In_reads_or_z_(count)
#define _In_reads_to_ptr_(pointer)
#define _Inout_
#define _Inout_z_
#define _Inout_opt_
#define _Inout_opt_z_
#define _Inout_updates_(count)
#define _Inout_updates_opt_(count)
#define _Inout_updates_z_(count)
#define _Inout_updates_all_(count)
#define _Inout_updates_all_opt_(count)
#define _Inout_updates_to_(size, count)
#define _Inout_updates_bytes_(size)
#define _Inout_updates_bytes_opt_(size)
#define _Inout_updates_bytes_to_(size, count)
#define _Inout_updates_bytes_to_opt_(size, count)
#define _Inout_updates_bytes_all_(size)
#define _Out_
#define _Out_opt_
#define _Out_range_(low, high)
#define _Out_writes_(count)
#define _Out_writes_opt_(count)
#define _Out_writes_z_(count)
#define _Out_writes_opt_z_(count)
#define _Out_writes_all_(count)
#define _Out_writes_all_opt_(count)
#define _Out_writes_to_(size, count)
#define _Out_writes_to_opt_(size, count)
#define _Out_writes_to_ptr_(pointer)
#define _Out_writes_bytes_(size)
#define _Out_writes_bytes_opt_(size)
#define _Out_writes_bytes_all_(size)
#define _Out_writes_bytes_all_opt_(size)
#define _Out_writes_bytes_to_(size, count)
#define _Out_writes_bytes_to_opt_(size, count)
#define _Outptr_
#define _Outptr_opt_
#define _Outptr_result_maybenull_
#define _Outptr_opt_result_maybenull_
#define _Outptr_result_nullonfailure_
#define _Outptr_result_buffer_(count)
#define _Outptr_result_buffer_maybenull_(count)
#define _Outptr_result_bytebuffer_(size)
#define _Outptr_result_bytebuffer_maybenull_(size)
#define _Outptr_result_z_
#define _Outref_
#define _COM_Outptr_
#define _COM_Outptr_opt_
#define _Deref_in_range_(low, high)
#define _Deref_out_range_(low, high)
#define _Deref_inout_range_(low, high)
#define _Reserved_
#define _Const_
#define _Notnull_
#define _Maybenull_
#define _Null_
#define _Null_terminated_
#define _NullNull_terminated_
#define _Points_to_data_
#define _Printf_format_string_
#define _Scanf_format_string_
#define _Literal_
#define _Notliteral_

/* Results, fields, conditions. */
#define _Ret_
#define _Ret_z_
#define _Ret_null_
#define _Ret_notnull_
#define _Ret_maybenull_
#define _Ret_range_(low, high)
#define _Ret_writes_(count)
#define _Ret_writes_bytes_(size)
#define _Ret_writes_bytes_maybenull_(size)
#define _Ret_maybenull_writes_bytes_(size)
#define _Field_range_(low, high)
#define _Field_size_(count)
#define _Field_size_opt_(count)
#define _Field_size_full_(count)
#define _Field_size_full_opt_(count)
#define _Field_size_part_(size, count)
#define _Field_size_bytes_(size)
#define _Field_size_bytes_opt_(size)
#define _Field_size_bytes_full_(size)
#define _Field_size_bytes_part_(size, count)
#define _Field_z_
#define _Struct_size_bytes_(size)
#define _Check_return_
#define _Check_return_opt_
#define _Must_inspect_result_
#define _Success_(condition)
#define _Return_type_success_(condition)
#define _On_failure_(annotations)
#define _Always_(annotations)
#define _When_(condition, annotations)
#define _At_(target, annotations)
#define _At_buffer_(target, iterator, bound, annotations)
#define _Group_(annotations)
#define _Pre_
#define _Pre_maybenull_
#define _Pre_notnull_
#define _Pre_null_
#define _Pre_opt_valid_
#define _Pre_readable_size_(count)
#define _Pre_satisfies_(condition)
#define _Pre_valid_
#define _Pre_writable_size_(count)
#define _Pre_writable_byte_size_(size)
#define _Post_
#define _Post_equal_to_(value)
#define _Post_invalid_
#define _Post_maybenull_
#define _Post_notnull_
#define _Post_null_
#define _Post_ptr_invalid_
#define _Post_readable_size_(count)
#define _Post_readable_byte_size_(size)
#define _Post_satisfies_(condition)
#define _Post_valid_
#define _Post_writable_byte_size_(size)
#define _Post_z_
#define _Readable_bytes_(size)
#define _Writable_bytes_(size)
#define _Unchanged_(value)
#define _Enum_is_bitflag_
#define _Frees_ptr_
#define _Frees_ptr_opt_
#define _Analysis_assume_(condition)
#define _Analysis_assume_nullterminated_(value)
#define _Analysis_noreturn_
#define _Function_class_(name)
#define _Use_decl_annotations_
#define _Interlocked_operand_
#define _Ignore_reserved_
#define __analysis_assume(condition)
#define __assume_bound(value)

/* Locks. */
#define _Acquires_lock_(lock)
#define _Acquires_exclusive_lock_(lock)
#define _Acquires_shared_lock_(lock)
#define _Acquires_nonreentrant_lock_(lock)
#define _Releases_lock_(lock)
#define _Releases_exclusive_lock_(lock)
#define _Releases_shared_lock_(lock)
#define _Releases_nonreentrant_lock_(lock)
#define _Requires_lock_held_(lock)
#define _Requires_lock_not_held_(lock)
#define _Requires_exclusive_lock_held_(lock)
#define _Requires_shared_lock_held_(lock)
#define _Requires_no_locks_held_
#define _Guarded_by_(lock)
#define _Write_guarded_by_(lock)
#define _Has_lock_kind_(kind)
#define _Has_lock_level_(level)
#define _Lock_level_order_(first, second)
#define _Create_lock_level_(level)
#define _No_competing_thread_
#define _Benign_race_begin_
#define _Benign_race_end_

#endif /* _SAL_H_ */
