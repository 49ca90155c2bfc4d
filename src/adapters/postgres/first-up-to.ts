/**
 * The first rows of a page up to a number of characters of a column, and at least one. The server knows the length of a long text without
 * reading it.
 */
export const firstUpTo = (charactersMax: string, text: string, orderedBy: string, page: string) => `
     select *
       from (select *, sum(length) over (order by ${orderedBy}) - length as read_before
               from (select *, coalesce(octet_length(${text}), 0) as length from (${page}) as page) as measured) as counted
      where read_before < ${charactersMax}
      order by ${orderedBy}`

/** The same of source events, by their messages. */
export const firstEventsUpTo = (charactersMax: string, page: string) =>
  firstUpTo(charactersMax, 'messages', 'source_event_id', page)
