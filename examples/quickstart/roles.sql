CREATE TABLE app_role (name text PRIMARY KEY, description text NOT NULL);
INSERT INTO app_role (name, description) VALUES ('admin', 'may do everything'), ('member', 'may work'), ('guest', 'may look');
