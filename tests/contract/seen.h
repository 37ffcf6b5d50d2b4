/* seen: which rules the cases of a test program broke, and saw reported.
 *
 * A case says seen_rule() when the run is over and the rule was named. The last case of the program
 * is seen_is_written: it fails if contract/tested.json, from which `drydock rules` takes what is
 * tested, says anything else than what this very run saw. So a test that is not built, not run, or
 * does not see its rule makes nothing tested. tools/contract/tested.py writes the file anew. */
#ifndef CONTRACT_SEEN_H
#define CONTRACT_SEEN_H

#include "contract/contract.h"

/* "SUBMIT_003" or "SUBMIT-003", and who was named. What is no rule (LEAK) is passed over. */
void seen_rule(const char *rule, enum contract_duty who);
/* A case that this build cannot run would say so: whether it is written other builds look at. */
void seen_cannot(const char *rule, enum contract_duty who);
void seen_forget(void);

/* The first rule that the file's part for the program and the run do not agree on, in words; NULL
 * if they agree. */
const char *seen_difference(const char *program, const char *path);
/* The part of the file that the run makes true. */
bool seen_write(const char *program, const char *path);

/* The last case of a program. Takes its name as initial state, and the paths of both files from
 * CONTRACT_TESTED (committed) and CONTRACT_SEEN (written). */
void seen_is_written(void **state);

#endif
