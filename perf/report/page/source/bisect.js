// bisect
