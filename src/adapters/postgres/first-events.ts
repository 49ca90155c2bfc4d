/** The first events of a page, in order of id, up to a number of characters of their messages. */
export const firstEventsUpTo = (charactersMax: string, page: string) => `
     select *
       from (select *, sum(length) over (order by source_event_id) - length as read_before
               from (select *, coalesce(octet_length(messages), 0) as length from (${page}) as page) as measured) as counted
      where read_before < ${charactersMax}
      order by source_event_id`
