-- depends: 0043.past

-- Deliveries of a state over all webhooks, in the order of their list: what was given up is few among many.
create index webhook_delivery_by_state on webhook_delivery (state, no);
