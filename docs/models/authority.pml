/*
 * Resolving a claim by authority.
 *
 * Abstracts src/core/provenance/resolve-conflict.ts.
 *
 * Three assertions with any priority and any instant arrive in any order. After each arrival the claim is resolved again, as a function of the
 * set of assertions. An assertion can be withdrawn, and a person can pin a content. The content of each assertion is its own number, except that
 * the third repeats the first one's content weakly.
 *
 * fault: LAST_ARRIVAL_WINS breaks authority.order-of-arrival
 * fault: LOSER_IS_DROPPED breaks authority.loser-returns
 * fault: PIN_IS_IGNORED breaks authority.pin-wins
 * fault: REPEATS_COUNT breaks authority.two-writers
 */
#define COUNT 3
#define NONE 9

byte authority[COUNT], observed[COUNT]
bool hasArrived[COUNT], isWithdrawn[COUNT]
byte arrived
byte winner = NONE
byte pin = NONE
bool isDone

/* A total order: authority (the priority of the writer), then the later observation, then the number. */
#define beats(a, b) (authority[a] > authority[b] || (authority[a] == authority[b] && (observed[a] > observed[b] || (observed[a] == observed[b] && a < b))))
#define isBest(a) (a == winner || beats(winner, a))
#define counts(a) (hasArrived[a] && !isWithdrawn[a])

/* The winner of the set that has arrived: no order of arrival in it. */
inline resolve(result) {
  result = NONE
  i = 0
  do
  :: i < COUNT ->
    if
    :: counts(i) && (result == NONE || beats(i, result)) -> result = i
    :: else
    fi
    i++
  :: else -> break
  od
  if
  :: pin != NONE && counts(pin) -> result = pin
  :: else
  fi
}

proctype claim() {
  byte i, next
  do
  :: arrived < COUNT ->
    /* Any of those that have not arrived. */
    if
    :: !hasArrived[0] -> next = 0
    :: !hasArrived[1] -> next = 1
    :: !hasArrived[2] -> next = 2
    fi
    atomic {
      hasArrived[next] = true
      arrived++
#ifdef FAULT_LAST_ARRIVAL_WINS
      if
      :: winner == NONE || authority[next] >= authority[winner] -> winner = next
      :: else
      fi
#else
      resolve(winner)
#endif
    }
  :: arrived == COUNT -> break
  od
  /* Whatever the order was, no other assertion beats the winner. */
  assert(isBest(0) && isBest(1) && isBest(2)) /* rule: authority.order-of-arrival */
  /* The winner is deleted: what it has beaten is current again. */
  atomic {
    isWithdrawn[winner] = true
#ifdef FAULT_LOSER_IS_DROPPED
    winner = NONE
#else
    resolve(winner)
#endif
    assert(winner != NONE && counts(winner)) /* rule: authority.loser-returns */
  }
  /* A person decides for any of those that are left. */
  if
  :: counts(0) -> pin = 0
  :: counts(1) -> pin = 1
  :: counts(2) -> pin = 2
  fi
  atomic {
#ifndef FAULT_PIN_IS_IGNORED
    resolve(winner)
#endif
    assert(winner == pin) /* rule: authority.pin-wins */
  }
}

/* A weak content is kept when a second writer states it; a writer that repeats itself counts once. */
proctype weakContent() {
  byte times[2]
  byte statements, writers
  bool isKept
  do
  :: statements < 3 -> statements++; times[0]++
  :: statements < 3 -> statements++; times[1]++
  :: true -> break
  od
  atomic {
    writers = (times[0] > 0 -> 1 : 0) + (times[1] > 0 -> 1 : 0)
#ifdef FAULT_REPEATS_COUNT
    isKept = statements >= 2
#else
    isKept = writers >= 2
#endif
    assert(!isKept || (times[0] > 0 && times[1] > 0)) /* rule: authority.two-writers */
  }
}

init {
  byte n
  do
  :: n < COUNT ->
    if :: authority[n] = 0 :: authority[n] = 1 fi
    if :: observed[n] = 0 :: observed[n] = 1 fi
    n++
  :: else -> break
  od
  atomic { run claim(); run weakContent() }
}
