-- depends: 0023.withheld

-- A reservation may put its client into a class, whatever the class asks for. Written by the service's own steps: the
-- shortcuts of 0005 and 0017 make reservations without one.
alter table reservation add column class_no integer references client_class;
create index reservation_by_class on reservation (class_no) where class_no is not null;
