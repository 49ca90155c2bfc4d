/*
 * The class of trust of a content, and of what is derived from it.
 *
 * Abstracts src/core/provenance/content-trust.ts and src/core/entries/trust.ts.
 *
 * The class of a content is decided from the set of its assertions. It is raised above its first source only by two independent credentials of a
 * higher class, or by an operator. What is derived has the lowest class of its sources.
 *
 * A tool states a text first, as untrusted and by the credential A. After that any credentials state it, in any order and any number of times: the agents A and B; M1 and
 * M2, keys that one key below an operator made; the operator. A statement may claim to have been observed before the tool's: that is believed unless the
 * credential is of the tool's line, which was recorded first.
 *
 * fault: REPEATS_RAISE breaks trust.no-laundering
 * fault: BACKDATED_IS_FIRST breaks trust.no-backdating
 * fault: SIBLINGS_ARE_INDEPENDENT breaks trust.independent-credentials
 * fault: OPERATOR_IS_IGNORED breaks trust.operator-verifies
 * fault: DERIVED_TAKES_HIGHEST breaks trust.derived-takes-lowest
 * fault: LAST_STATEMENT_DECIDES breaks trust.order-of-arrival
 */
#define UNTRUSTED 0
#define AGENT 1
#define VERIFIED 3

#define A 0
#define B 1
#define M1 2
#define M2 3
#define OPERATOR 4
#define CREDENTIALS 5
#define STATEMENTS 4

byte times[CREDENTIALS]    /* how often each has stated it */
byte statements
bool isFirst               /* one of another line than the tool claims to have observed it before */
byte trust                 /* as decided after each statement */
byte derived               /* the class of a summary of this content and of a trusted one */

/* Neither made the other, and no key below an operator made both. */
#define isPair(x, y) (times[x] > 0 && times[y] > 0)
#ifdef FAULT_SIBLINGS_ARE_INDEPENDENT
#define siblings isPair(M1, M2)
#else
#define siblings false
#endif
#define hasPair (isPair(A, B) || isPair(A, M1) || isPair(A, M2) || isPair(B, M1) || isPair(B, M2) || siblings)

inline decide() {
  if
#ifndef FAULT_OPERATOR_IS_IGNORED
  :: times[OPERATOR] > 0 -> trust = VERIFIED
#endif
#ifdef FAULT_REPEATS_RAISE
  :: statements >= 2 && times[OPERATOR] == 0 -> trust = AGENT
#endif
#ifdef FAULT_LAST_STATEMENT_DECIDES
  :: times[OPERATOR] == 0 && hasPair -> trust = (who == A -> UNTRUSTED : AGENT)
#endif
  :: times[OPERATOR] == 0 && (hasPair || isFirst) -> trust = AGENT
  :: else -> trust = UNTRUSTED
  fi
#ifdef FAULT_DERIVED_TAKES_HIGHEST
  derived = (trust > AGENT -> trust : AGENT)
#else
  derived = (trust < AGENT -> trust : AGENT)
#endif
}

proctype stating() {
  byte who
  do
  :: statements < STATEMENTS ->
    select(who : A .. OPERATOR)
    atomic {
      times[who]++
      statements++
      if
      :: true
#ifdef FAULT_BACKDATED_IS_FIRST
      :: isFirst = true
#else
      :: who != A -> isFirst = true
#endif
      fi
      decide()
      /* One credential, however often, raises nothing. */
      assert(trust == UNTRUSTED || times[OPERATOR] > 0 || times[who] < statements || isFirst) /* rule: trust.no-laundering */
      /* That of the tool does not, whenever it claims to have observed the text. */
      assert(trust == UNTRUSTED || times[OPERATOR] > 0 || times[A] < statements) /* rule: trust.no-backdating */
      assert(trust == UNTRUSTED || times[OPERATOR] > 0 || times[A] > 0 || times[B] > 0 || isFirst) /* rule: trust.independent-credentials */
      assert(times[OPERATOR] == 0 || trust == VERIFIED) /* rule: trust.operator-verifies */
      assert(derived <= trust) /* rule: trust.derived-takes-lowest */
      assert(times[A] == 0 || times[B] == 0 || trust >= AGENT) /* rule: trust.order-of-arrival */
    }
  :: true -> break
  od
}

init {
  run stating()
}
