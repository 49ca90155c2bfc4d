/*
 * A forget beside commits, late jobs, running runs and retries.
 *
 * Abstracts src/core/forget/fence.ts, src/app/forget and the tombstones of src/core/commit/idempotency.ts.
 *
 * The subject has one entry and one source event that is not ingested yet. The forget puts up a fence in one commit, erases row by row, checks,
 * and removes the fence; its job can crash and start again. Beside it: a job ingests the event, a run that has read the entry stores what
 * it made of it, the client of the entry retries its call, and a writer stores something new about the subject.
 *
 * fault: NO_FENCE breaks fence.hidden
 * fault: STALE_RUN breaks fence.no-stale-reads
 * fault: LATE_JOB breaks fence.late-job
 * fault: NO_TOMBSTONE breaks fence.no-retry
 * fault: NO_CHECK breaks fence.erased-when-removed
 * fault: ERASES_ALL breaks fence.new-stays
 */
#define ENTRIES 5
#define FIRST 0            /* stored before the forget */
#define INGESTED 1         /* made of the source event */
#define DERIVED 2          /* made by the run of what it has read */
#define RETRIED 3          /* stored again by the retry of the first call */
#define NEW 4              /* something new about the subject */

mtype = { absent, stored, erased }

mtype entry[ENTRIES]       /* all begin as 0: absent */
byte created[ENTRIES]
bool isForgotten[ENTRIES]  /* only for the rules: its content was known before the fence */
byte clock = 1
byte redactionVersion
bool isFenceUp, hasFence, isDone
byte fence
bool isEventErased, hasKey = true, hasTombstone

#define isStored(n) (entry[n] == stored)
#define isHidden(n) (isFenceUp && created[n] <= fence)
#define isLeft(n) (isStored(n) && created[n] <= fence)
#define isVisible(n) (isStored(n) && !isHidden(n))

inline store(n, isOld) {
  clock++
  entry[n] = stored
  created[n] = clock
  isForgotten[n] = isOld && hasFence
}

/* Erases a row if the fence covers it. */
inline erase(n) {
  atomic {
    if
#ifdef FAULT_ERASES_ALL
    :: isStored(n) -> entry[n] = erased
#else
    :: isLeft(n) -> entry[n] = erased
#endif
    :: else
    fi
  }
}

proctype forget() {
  byte n
  /* One commit: from here on, everything created up to its position is hidden, and what others have read is stale. */
  atomic {
    clock++
    fence = clock
    hasFence = true
    redactionVersion++
    n = 0
    do :: n < ENTRIES -> isForgotten[n] = isStored(n); n++ :: else -> break od
#ifndef FAULT_NO_FENCE
    isFenceUp = true
#endif
  }
again:
  n = 0
  do
  :: n < ENTRIES -> erase(n); n++
  :: n < ENTRIES -> /* the job crashes, and starts again */
#ifdef FAULT_NO_CHECK
    goto remove
#else
    goto again
#endif
  :: n == ENTRIES -> break
  od
  atomic {
    isEventErased = true
    hasKey = false
#ifndef FAULT_NO_TOMBSTONE
    hasTombstone = true
#endif
  }
remove:
  atomic {
    if
#ifndef FAULT_NO_CHECK
    :: isLeft(0) || isLeft(1) || isLeft(2) || isLeft(3) || isLeft(4) || !isEventErased -> goto again
#endif
    :: else
    fi
    isFenceUp = false
    isDone = true
    assert(!isStored(FIRST)) /* rule: fence.erased-when-removed */
    assert(entry[NEW] != erased || isForgotten[NEW]) /* rule: fence.new-stays */
  }
}

/* Leased before or after the fence. The commit is refused if the event is behind a fence, or erased. */
proctype ingestJob() {
  bool isEventKnown
  isEventKnown = !isEventErased && !isFenceUp
  atomic {
    if
#ifdef FAULT_LATE_JOB
    :: isEventKnown ->
#else
    :: isEventKnown && !isEventErased && !isFenceUp ->
#endif
      store(INGESTED, true)
    :: else
    fi
  }
}

/* Reads at its snapshot, and stores what it made of it. The commit is refused if something was forgotten in between. */
proctype aRun() {
  byte versionRead
  bool hasRead
  atomic { versionRead = redactionVersion; hasRead = isVisible(FIRST) }
  atomic {
    if
#ifdef FAULT_STALE_RUN
    :: hasRead ->
#else
    :: hasRead && versionRead == redactionVersion ->
#endif
      store(DERIVED, true)
    :: else
    fi
  }
}

/* The answer of the first call was lost, so its client sends it again. */
proctype retry() {
  atomic {
    if
    :: hasKey || hasTombstone -> skip /* the first outcome, or content_erased */
    :: else -> store(RETRIED, true)
    fi
  }
}

proctype writer() {
  atomic { store(NEW, false) }
}

/* Any read, at any moment. */
proctype reader() {
  atomic {
    hasFence ->
    assert(!(isVisible(FIRST) && isForgotten[FIRST])) /* rule: fence.hidden */
    assert(!(isVisible(INGESTED) && isForgotten[INGESTED])) /* rule: fence.late-job */
    assert(!(isVisible(DERIVED) && isForgotten[DERIVED])) /* rule: fence.no-stale-reads */
    assert(!(isVisible(RETRIED) && isForgotten[RETRIED])) /* rule: fence.no-retry */
  }
}

init {
  atomic {
    entry[FIRST] = stored
    created[FIRST] = 1
    run forget(); run ingestJob(); run aRun(); run retry(); run writer(); run reader()
  }
}
