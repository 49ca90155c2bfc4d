/*
 * Positions and group commit, with lost answers.
 *
 * Abstracts src/core/commit/seal.ts, src/core/commit/idempotency.ts and src/adapters/sql/group-commit.ts.
 *
 * Two clients each make one call with an idempotency key. If no answer arrives, the client sends the call again, perhaps to the other
 * server. A server takes what waits in its queue as one group, stores it in one transaction under the lock of the tenant's clock, and
 * answers only after that. A transaction can fail as a whole, and any answer can be lost.
 *
 * fault: NO_KEY breaks commit.exactly-once
 * fault: NO_LOCK breaks commit.one-per-position
 * fault: FAILED_TAKES_POSITION breaks commit.no-gaps
 * fault: EARLY_ANSWER breaks commit.answered-is-stored
 * fault: CLOCK_FIRST breaks commit.visible-in-order
 */
#define CLIENTS 2
#define SERVERS 2
#define ATTEMPTS 2
#define GROUP 2
#define LOG 6

byte clock                 /* the position of the tenant */
byte log[LOG]              /* by position: the client whose call is stored there, plus one */
byte key[CLIENTS]          /* by client: the position of its call, as stored under its idempotency key */
bool isLocked

chan queue[SERVERS] = [4] of { byte }
chan answer[CLIENTS] = [4] of { byte }

proctype client(byte me) {
  byte tries, position
  do
  :: tries < ATTEMPTS ->
    tries++
    if
    :: queue[0] ! me
    :: queue[1] ! me
    fi
    if
    :: answer[me] ? position ->
      assert(log[position] == me + 1) /* rule: commit.answered-is-stored */
      position = 0
      break
    :: true /* no answer in time: the outcome is unknown, and the call is sent again */
    fi
  :: else -> break
  od
}

/* Finds the first outcome of a call: in the database, or earlier in the same transaction. */
inline lookUp(who) {
  first = 0
#ifndef FAULT_NO_KEY
  first = key[who]
  if
  :: first == 0 && i == 1 && group[0] == who -> first = at[0]
  :: else
  fi
#endif
}

/* After every transaction each position up to the clock has its row. */
inline checkNoGaps() {
  i = 1
  do
  :: i <= clock ->
    assert(log[i] != 0) /* rule: commit.no-gaps */
    i++
  :: else -> break
  od
}

proctype server(byte me) {
  byte group[GROUP], at[GROUP]
  byte count, i, position, first
end:
  do
  :: queue[me] ? group[0] ->
    count = 1
    if
    :: nempty(queue[me]) -> queue[me] ? group[1]; count = 2
    :: true
    fi
#ifndef FAULT_NO_LOCK
    atomic { !isLocked -> isLocked = true }
#endif
    position = clock
    atomic {
      i = 0
      do
      :: i < count ->
        lookUp(group[i])
        if
        :: first != 0 -> at[i] = first
        :: else -> position++; at[i] = position
        fi
        i++
      :: else -> break
      od
    }
#ifdef FAULT_EARLY_ANSWER
    i = 0
    do :: i < count -> answer[group[i]] ! at[i]; i++ :: else -> break od
#endif
    if
    :: true ->
#ifdef FAULT_CLOCK_FIRST
      clock = position
#endif
      atomic {
        i = 0
        do
        :: i < count ->
          if
          :: at[i] > 0 && log[at[i]] != group[i] + 1 ->
            assert(log[at[i]] == 0) /* rule: commit.one-per-position */
            assert(key[group[i]] == 0) /* rule: commit.exactly-once */
            log[at[i]] = group[i] + 1
            key[group[i]] = at[i]
          :: else
          fi
          i++
        :: else -> break
        od
        clock = position
        checkNoGaps()
        isLocked = false
      }
    :: true -> /* the transaction fails: nothing of the group is stored */
      atomic {
#ifdef FAULT_FAILED_TAKES_POSITION
        clock = position
#endif
        checkNoGaps()
        count = 0
        isLocked = false
      }
    fi
    atomic {
      i = 0
      do
      :: i < count ->
        if
        :: answer[group[i]] ! at[i]
        :: true /* the answer is lost */
        fi
        i++
      :: else -> break
      od
    }
    /* Values that are no longer needed would only multiply the states. */
    atomic { group[0] = 0; group[1] = 0; at[0] = 0; at[1] = 0; count = 0; i = 0; position = 0; first = 0 }
  od
}

/* A reader sees a clock, and after that the rows up to it. */
proctype reader() {
  byte seen, p
  seen = clock
  p = 1
  do
  :: p <= seen ->
    assert(log[p] != 0) /* rule: commit.visible-in-order */
    p++
  :: else -> break
  od
}

init {
  atomic {
    run client(0); run client(1)
    run server(0); run server(1)
    run reader()
  }
}
