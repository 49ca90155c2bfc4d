/*
 * Leases of a job, with expiry.
 *
 * Abstracts src/core/jobs/job.ts and the claim of src/jobs/lease-jobs.ts.
 *
 * Two workers, one job. A lease expires at any moment, also while its worker is only slow. A worker can crash, fail, or commit the effect
 * of the job together with its completion. The token of a lease is a fencing token: the commit of a worker that lost its lease is refused
 * as a whole.
 *
 * fault: NO_FENCING breaks lease.one-effect
 * fault: STEAL breaks lease.one-holder
 * fault: NO_ATTEMPTS_MAX breaks lease.dead-letter
 * fault: LOST_NOT_COUNTED breaks lease.poison-pill
 * fault: ENDED_IS_DUE breaks lease.ended-stays
 */
#define WORKERS 2
#define ATTEMPTS_MAX 2
#define LOST_MAX 2

mtype = { queued, leased, completed, dead }

mtype status = queued
byte token, attempts, lost
bool isExpired

/* Only for the rules. */
byte effects, claims, failures
bool hasEnded
byte holder                /* the worker, plus one, whose lease is valid; 0 for none */

inline claim() {
  atomic {
#if defined(FAULT_STEAL)
    (status == queued || status == leased) ->
#elif defined(FAULT_ENDED_IS_DUE)
    (status != leased || isExpired) ->
#else
    (status == queued || (status == leased && isExpired)) ->
#endif
    assert(!hasEnded) /* rule: lease.ended-stays */
    assert(holder == 0) /* rule: lease.one-holder */
    if
#ifndef FAULT_LOST_NOT_COUNTED
    :: status == leased && lost + 1 >= LOST_MAX -> status = dead; hasEnded = true; holder = 0
    :: status == leased && lost + 1 < LOST_MAX -> lost++; grant()
#else
    :: status == leased -> grant()
#endif
    :: status != leased -> attempts++; grant()
    fi
  }
}

inline grant() {
  status = leased
  token++
  claims++
  assert(claims <= ATTEMPTS_MAX + LOST_MAX) /* rule: lease.poison-pill */
  mine = token
  isExpired = false
  holder = me + 1
}

proctype worker(byte me) {
  byte mine
end:
  do
  :: claim()
    if
    :: mine == 0 -> skip /* the job became a dead letter instead */
    :: mine != 0 ->
      if
      :: true -> skip /* the worker crashes: it forgets its lease */
      :: true -> /* the attempt fails */
        atomic {
          if
          :: status == leased && token == mine ->
            holder = 0
            failures++
            assert(failures <= ATTEMPTS_MAX) /* rule: lease.dead-letter */
            if
#ifdef FAULT_NO_ATTEMPTS_MAX
            :: true -> status = queued
#else
            :: attempts >= ATTEMPTS_MAX -> status = dead; hasEnded = true
            :: attempts < ATTEMPTS_MAX -> status = queued
#endif
            fi
          :: else
          fi
        }
      :: true -> /* the effect and the completion, in one commit */
        atomic {
          if
#ifdef FAULT_NO_FENCING
          :: true ->
#else
          :: status == leased && token == mine ->
#endif
            effects++
            assert(effects <= 1) /* rule: lease.one-effect */
            status = completed
            hasEnded = true
            holder = 0
          :: else
          fi
        }
      fi
      mine = 0
    fi
  od
}

/* The clock: a lease expires whenever it likes. */
proctype expiry() {
end:
  do
  :: atomic { status == leased && !isExpired -> isExpired = true; holder = 0 }
  od
}

init {
  atomic { run worker(0); run worker(1); run expiry() }
}
