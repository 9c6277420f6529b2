-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
/*!40103 SET TIME_ZONE='+00:00' */;

CREATE TABLE `lease4` (
  `address` int unsigned NOT NULL,
  `hwaddr` varbinary(20) DEFAULT NULL,
  `client_id` varbinary(255) DEFAULT NULL,
  `valid_lifetime` int unsigned DEFAULT NULL,
  `expire` timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  `subnet_id` int unsigned DEFAULT NULL,
  `fqdn_fwd` tinyint(1) DEFAULT NULL,
  `fqdn_rev` tinyint(1) DEFAULT NULL,
  `hostname` varchar(255) DEFAULT NULL,
  `state` int unsigned DEFAULT '0',
  `user_context` text,
  PRIMARY KEY (`address`),
  KEY `lease4_by_hwaddr_subnet_id` (`hwaddr`,`subnet_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
LOCK TABLES `lease4` WRITE;
INSERT INTO `lease4` VALUES (3221226085,_binary '\0\0\0\0',_binary '\0\0\0\0',3600,'2026-03-02 00:00:00',7,0,0,'alpha.',0,NULL),(3221226086,_binary '\0\0\0\0',NULL,3600,'2026-02-28 23:43:20',7,0,0,'',2,NULL),(3221226087,_binary '\0\0\0\0',NULL,3600,'2026-03-02 00:00:00',7,0,0,'',1,NULL),(3221226088,_binary '\0\0\0\0',NULL,3600,'2026-03-02 00:00:00',7,0,0,'',3,NULL),(3221226089,_binary '\0\0\0\0',NULL,3600,'2026-03-02 00:00:00',7,0,0,'old',0,NULL);
INSERT INTO `lease4` VALUES (3221226090,_binary '\0\0\0\0',NULL,3600,'2026-03-02 01:00:00',7,0,0,'new',0,NULL),(3221226091,NULL,0xFF00000001000100012C3D4E5F020000000007,4294967295,'2026-03-02 00:00:00',7,0,0,'iaid',0,NULL),(3221226093,_binary '\0\0\0\00',NULL,3600,'2026-03-02 00:00:00',7,0,0,'',0,NULL),(3221226094,_binary '\0\0\0\0',NULL,3600,'2026-03-02 00:00:00',7,0,0,'',0,NULL),(3221226095,_binary '\0\0\0\0\n',NULL,3600,'2026-03-02 00:00:00',7,0,0,'',0,NULL),(3221226096,NULL,NULL,3600,'2026-03-02 00:00:00',7,0,0,'',0,NULL),(3221225984,_binary '\0\0\0\01',NULL,3600,'2026-03-02 00:00:00',7,0,0,'',0,NULL);
UNLOCK TABLES;
