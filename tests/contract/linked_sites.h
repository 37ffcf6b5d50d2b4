/* Places that judge, and places that only look so; linked_test.c tells them apart. */
#ifndef CONTRACT_LINKED_SITES_H
#define CONTRACT_LINKED_SITES_H

void linked_duty(int value);
void linked_finding(int value);
/* In a library; the file it is in is not needed by anybody. */
void unlinked_duty(int value);

#endif
